// A browser, as far as signing in needs one: cookies by host, redirects, and the provider's two forms.
export class Browser {
  jar = new Map();
  seen = [];

  async open(url, options = {}) {
    for (let hop = 0; hop < 20; hop += 1) {
      const at = new URL(url);
      const cookies = [...(this.jar.get(at.host) ?? new Map())].map(([name, value]) => `${name}=${value}`).join("; ");
      const headers = { ...(options.headers ?? {}), ...(cookies ? { cookie: cookies } : {}) };
      const answer = await fetch(url, { ...options, headers, redirect: "manual" });
      this.seen.push(url);
      for (const set of answer.headers.getSetCookie()) this.keep(at.host, set);
      const next = answer.headers.get("location");
      if (next === null || answer.status < 300 || answer.status >= 400) return { status: answer.status, url, text: await answer.text(), headers: answer.headers };
      url = new URL(next, url).href;
      options = {};
      if (this.until?.(url)) return { status: answer.status, url, text: "", headers: answer.headers };
    }
    throw new Error("too many redirects");
  }

  keep(host, set) {
    const [pair] = set.split(";");
    const at = pair.indexOf("=");
    const jar = this.jar.get(host) ?? new Map();
    if (pair.slice(at + 1) === "" || /max-age=0/i.test(set) || /expires=Thu, 01 Jan 1970/i.test(set)) jar.delete(pair.slice(0, at));
    else jar.set(pair.slice(0, at), pair.slice(at + 1));
    this.jar.set(host, jar);
  }

  // Fills in the provider's forms until the browser is back with us.
  async signIn(server, name) {
    let page = await this.open(`${server}/console/oidc`);
    for (let form = 0; form < 4 && !page.url.startsWith(server); form += 1) {
      const action = page.text.match(/action="([^"]+)"/)?.[1];
      if (action === undefined) break;
      const fields = new URLSearchParams({ prompt: page.text.includes('value="consent"') ? "consent" : "login", login: name, password: "any" });
      page = await this.open(new URL(action, page.url).href, { method: "POST", body: fields });
    }
    return page;
  }
}
