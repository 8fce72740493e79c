// SERVE-1: people sign in by their identity provider; whatever is not exactly right lets nobody in.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { decodeJwt } from "jose";
import { Browser } from "./browser.mjs";
import { freePort, startProvider } from "./provider.mjs";

const program = process.env.COUNTERSIGN_BIN;
let provider, folder;
const servers = [];

async function startServer(client) {
  const port = await freePort();
  const server = `http://127.0.0.1:${port}`;
  provider ??= await startProvider(await freePort(), `${server}/console/oidc/callback`);
  const config = join(folder, `${client}.toml`);
  writeFileSync(config, `listen = "127.0.0.1:${port}"\ndata_dir = ":memory:"\n[oidc]\nissuer = "${provider.issuer}"\nclient_id = "${client}"\n[oidc.grants]\n"agents-*" = ["sessions", "review"]\n`);
  const env = { COUNTERSIGN_OIDC_CLIENT_SECRET: "a secret of the test", HOME: folder };
  const child = spawn(program, ["serve", "--config", config], { env, stdio: ["ignore", "ignore", "pipe"] });
  const running = { server, child, log: "" };
  servers.push(running);
  await new Promise((done, fail) => {
    child.stderr.on("data", (piece) => {
      running.log += piece;
      if (running.log.includes("listening on")) done();
    });
    child.on("exit", () => fail(new Error(running.log)));
  });
  return running;
}

const session = async (browser, server) => JSON.parse((await browser.open(`${server}/console/session`)).text);

describe("signing in", { timeout: 120_000 }, () => {
  let own;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "countersign-sign-in-"));
    own = await startServer("countersign");
  });
  after(() => {
    for (const { child } of servers) child.kill("SIGKILL");
    provider?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test("a person of the right group gets in, with a name, a token and no more than was granted", async () => {
    const { server } = own;
    const door = await session(new Browser(), server);
    assert.deepEqual([door.locked, door.signed_in, door.single_sign_on], [true, false, true]);
    assert.equal((await fetch(`${server}/v1/sessions`)).status, 401, "without a key and without a sign-in");
    const browser = new Browser();
    const page = await browser.signIn(server, "ann");
    assert.deepEqual([page.status, page.url], [200, `${server}/`]);
    const off = new URL(browser.seen.find((url) => url.includes("code_challenge")));
    assert.equal(off.searchParams.get("code_challenge_method"), "S256");
    assert.ok(off.searchParams.get("state").length >= 43 && off.searchParams.get("nonce").length >= 43);
    const who = await session(browser, server);
    assert.deepEqual([who.signed_in, who.reviewer, who.scopes], [true, "Ann Example", ["sessions", "review"]]);
    assert.match(who.key_id, /^person_[0-9a-f]{16}$/);
    const post = (headers) => browser.open(`${server}/v1/sessions`, { method: "POST", body: "{}", headers: { "content-type": "application/json", ...headers } });
    assert.equal((await post({})).status, 403, "a cookie alone changes nothing");
    assert.equal((await post({ "x-countersign-csrf": who.csrf })).status, 201);
    const check = await browser.open(`${server}/v1/check`, { method: "POST", body: "{}", headers: { "x-countersign-csrf": who.csrf } });
    assert.equal(check.status, 403, "the engine was not granted");
    await browser.open(`${server}/console/session`, { method: "DELETE", headers: { "x-countersign-csrf": who.csrf } });
    assert.equal((await session(browser, server)).signed_in, false, "and one can leave");
    assert.ok(!own.log.includes("a secret of the test"));
  });

  test("who is known but granted nothing stays outside", async () => {
    const browser = new Browser();
    const page = await browser.signIn(own.server, "bob");
    assert.equal(page.url, `${own.server}/?sign_in=denied`);
    assert.equal((await session(browser, own.server)).signed_in, false);
  });

  test("a code serves once, and only the browser that began", async () => {
    const first = new Browser();
    const callback = `${own.server}/console/oidc/callback`;
    first.until = (url) => url.startsWith(callback);
    const back = await first.signIn(own.server, "ann");
    assert.ok(back.url.startsWith(`${callback}?code=`), back.url);
    const kept = new Map(first.jar.get(new URL(own.server).host));
    const stranger = await new Browser().open(back.url);
    assert.equal(stranger.url, `${own.server}/?sign_in=refused`, "somebody else's browser");
    const forged = new URL(back.url);
    forged.searchParams.set("state", "x".repeat(43));
    first.until = null;
    assert.equal((await first.open(forged.href)).url, `${own.server}/?sign_in=refused`, "another state");
    first.jar.set(new URL(own.server).host, new Map(kept));
    assert.equal((await first.open(back.url)).url, `${own.server}/`);
    assert.equal((await session(first, own.server)).signed_in, true);
    const again = new Browser();
    again.jar.set(new URL(own.server).host, new Map(kept));
    assert.equal((await again.open(back.url)).url, `${own.server}/?sign_in=refused`, "the code was used");
    for (const query of ["", "?error=access_denied&state=x", "?code=&state=", "?code=made-up&state=made-up"]) {
      assert.equal((await new Browser().open(callback + query)).url, `${own.server}/?sign_in=refused`, query);
    }
  });

  test("an answer that was bent lets nobody in", async () => {
    const header = { alg: "ES256", kid: "own" };
    const signed = (change) => async (body) => JSON.stringify({ ...body, id_token: await provider.sign({ ...decodeJwt(body.id_token), ...change }, header, provider.own) });
    const raw = (change) => async (body) => JSON.stringify({ ...body, id_token: change(body.id_token) });
    const encode = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const bends = {
      "another nonce": signed({ nonce: "x".repeat(43) }),
      "another issuer": signed({ iss: "https://evil.example" }),
      "another audience": signed({ aud: "somebody-else" }),
      "expired": signed({ exp: Math.floor(Date.now() / 1000) - 600 }),
      "no signature": raw((token) => `${encode({ alg: "none" })}.${token.split(".")[1]}.`),
      "a claim more": raw((token) => [token.split(".")[0], encode({ ...decodeJwt(token), sub: "root" }), token.split(".")[2]].join(".")),
      "a stranger's key": async (body) => JSON.stringify({ ...body, id_token: await provider.sign(decodeJwt(body.id_token), header, provider.stranger) }),
      "a shared secret": async (body) => JSON.stringify({ ...body, id_token: await provider.sign(decodeJwt(body.id_token), { alg: "HS256" }, new TextEncoder().encode("a secret of the test".padEnd(32, "!"))) }),
      "no token": async (body) => JSON.stringify({ access_token: body.access_token }),
      "no JSON": async () => "<html>",
    };
    for (const [name, bend] of Object.entries(bends)) {
      provider.bend.with = bend;
      const browser = new Browser();
      const page = await browser.signIn(own.server, "ann");
      assert.equal(page.url, `${own.server}/?sign_in=refused`, name);
      assert.equal((await session(browser, own.server)).signed_in, false, name);
    }
    provider.bend.with = signed({});
    assert.equal((await new Browser().signIn(own.server, "ann")).url, `${own.server}/`, "the same way with nothing changed");
    provider.bend.with = null;
  });

  test("a cookie that was changed, or sealed elsewhere, is nobody's", async () => {
    const browser = new Browser();
    await browser.signIn(own.server, "ann");
    const host = new URL(own.server).host;
    const [name, value] = [...browser.jar.get(host)].find(([name]) => name === "countersign_console");
    for (const wrong of [value.slice(0, -2), `${value.slice(0, 20)}A${value.slice(21)}`, "AAAA", Buffer.from('{"person":{"id":"x","name":"x","scopes":["admin"]}}').toString("base64url")]) {
      browser.jar.get(host).set(name, wrong);
      assert.equal((await browser.open(`${own.server}/v1/sessions`)).status, 401, wrong);
    }
  });

  test("an RSA key signs as well, and a provider that is away is said to be", async () => {
    own.child.kill("SIGKILL");
    await new Promise((done) => own.child.on("exit", done));
    const port = new URL(own.server).port;
    const config = join(folder, "rsa.toml");
    writeFileSync(config, `listen = "127.0.0.1:${port}"\ndata_dir = ":memory:"\n[oidc]\nissuer = "${provider.issuer}"\nclient_id = "countersign-rsa"\nclaim = "name"\n[oidc.grants]\n"Ann *" = ["admin"]\n`);
    const child = spawn(program, ["serve", "--config", config], { env: { COUNTERSIGN_OIDC_CLIENT_SECRET: "a secret of the test", HOME: folder }, stdio: ["ignore", "ignore", "pipe"] });
    servers.push({ child });
    await new Promise((done) => child.stderr.on("data", (piece) => String(piece).includes("listening") && done()));
    const browser = new Browser();
    assert.equal((await browser.signIn(own.server, "ann")).url, `${own.server}/`);
    assert.deepEqual((await session(browser, own.server)).scopes, ["engine", "sessions", "review", "upstream", "admin"]);
    provider.close();
    const away = await startServerWithout(port);
    assert.equal((await new Browser().open(`${away}/console/oidc`)).url, `${away}/?sign_in=away`);
  });

  async function startServerWithout() {
    const port = await freePort();
    const config = join(folder, "away.toml");
    writeFileSync(config, `listen = "127.0.0.1:${port}"\ndata_dir = ":memory:"\n[oidc]\nissuer = "http://127.0.0.1:9"\nclient_id = "x"\n[oidc.grants]\n"*" = ["review"]\n`);
    const child = spawn(program, ["serve", "--config", config], { env: { HOME: folder }, stdio: ["ignore", "ignore", "pipe"] });
    servers.push({ child });
    await new Promise((done) => child.stderr.on("data", (piece) => String(piece).includes("listening") && done()));
    return `http://127.0.0.1:${port}`;
  }
});
