// The identity provider: oidc-provider with two people, and a place where its answers can be bent on the way.
import http from "node:http";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { Provider } from "oidc-provider";

const PEOPLE = {
  ann: { groups: ["agents-team", "everybody"], name: "Ann Example" },
  bob: { groups: ["accounting"], name: "Bob Example" },
};

export async function startProvider(port, redirect) {
  const { publicKey, privateKey } = await generateKeyPair("ES256", { extractable: true });
  const own = { ...(await exportJWK(privateKey)), kid: "own", alg: "ES256", use: "sig" };
  const rsa = await generateKeyPair("RS256", { extractable: true });
  const second = { ...(await exportJWK(rsa.privateKey)), kid: "rsa", alg: "RS256", use: "sig" };
  const issuer = `http://127.0.0.1:${port}`;
  const client = (id, algorithm) => ({
    client_id: id,
    client_secret: "a secret of the test",
    redirect_uris: [redirect],
    id_token_signed_response_alg: algorithm,
  });
  const provider = new Provider(issuer, {
    clients: [client("countersign", "ES256"), client("countersign-rsa", "RS256")],
    jwks: { keys: [own, second] },
    claims: { openid: ["sub"], profile: ["name", "groups"], email: ["email"] },
    cookies: { keys: ["one key of the test"] },
    pkce: { required: () => true },
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, ...PEOPLE[id] }) }),
    features: { devInteractions: { enabled: true } },
  });
  const bend = { with: null };
  const handle = provider.callback();
  const server = http.createServer((request, response) => {
    if (request.url !== "/token" || bend.with === null) return handle(request, response);
    // The provider answers; what it says about the person is changed before it goes out.
    const parts = [];
    const end = response.end.bind(response);
    response.write = (piece) => parts.push(Buffer.from(piece)) > 0;
    response.end = (piece) => {
      if (piece) parts.push(Buffer.from(piece));
      const body = JSON.parse(Buffer.concat(parts).toString());
      bend.with(body).then((text) => {
        response.setHeader("content-length", Buffer.byteLength(text));
        end(text);
      });
    };
    handle(request, response);
  });
  await new Promise((done) => server.listen(port, "127.0.0.1", done));
  const stranger = await generateKeyPair("ES256");
  const sign = (claims, header, key) => new SignJWT(claims).setProtectedHeader(header).sign(key);
  return { issuer, bend, sign, own: privateKey, public: publicKey, stranger: stranger.privateKey, close: () => server.close() };
}

export async function freePort() {
  const server = http.createServer();
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address();
  await new Promise((done) => server.close(done));
  return port;
}
