/** The proxy of the script's own run, spoken to behind the runtime's back. */

import { SANDBOX_WAY } from "../../../src/proxy/forwarder.ts";
import { type Attack, attempt } from "./attack.ts";

/**
 * `ask(raw)` sends bytes to the proxy by every way there is and gives what came
 * back first; `deny` makes an answer without the secret a refusal.
 */
const ASK = `
const [host, port] = "__HOST__".split(":");
const ways = [
  () => Deno.connect({ transport: "unix", path: "${SANDBOX_WAY.socket}" }),
  () => Deno.connect({ transport: "unix", path: Deno.env.get("TMPDIR") + "/../proxy/proxy.sock" }),
  () => Deno.connect({ hostname: "127.0.0.1", port: ${SANDBOX_WAY.port} }),
];
const ask = async (raw) => {
  const why = [];
  let answer;
  for (const way of ways) {
    try {
      const conn = await way();
      const late = setTimeout(() => { try { conn.close(); } catch { /* closed */ } }, 3000);
      await conn.write(new TextEncoder().encode(raw));
      await conn.closeWrite().catch(() => {});
      answer ??= "";
      const bytes = new Uint8Array(65536);
      for (let n; (n = await conn.read(bytes).catch(() => null)) !== null;) answer += new TextDecoder().decode(bytes.subarray(0, n));
      clearTimeout(late);
      try { conn.close(); } catch { /* closed */ }
    } catch (error) { why.push(error.name + ": " + error.message); }
  }
  if (answer === undefined) throw new Error("no way to a proxy: " + why.join("; "));
  if (answer.includes("canary")) return answer;
  throw new Error("the proxy said: " + (answer.split("\\r\\n")[0] || "nothing"));
};
`;
/** The proxy's refusals, or that there is none to be reached. */
const REFUSED =
  /the proxy said: (?:HTTP\/1\.1 (?:400|403|405|413|431|501|502)|nothing)|no way to a proxy: .*(?:NotCapable|No such file|NotFound|refused)/;

/** Requests for a host that nobody granted, in shapes that confuse. */
const OUTSIDE = [
  "`GET http://__HOST__/ HTTP/1.1\\r\\nHost: __HOST__\\r\\n\\r\\n`",
  "`CONNECT __HOST__ HTTP/1.1\\r\\nHost: __HOST__\\r\\n\\r\\nGET / HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n`",
  "`GET http://declared.invalid/ HTTP/1.1\\r\\nHost: __HOST__\\r\\n\\r\\n`",
  "`GET http://declared.invalid@__HOST__/ HTTP/1.1\\r\\nHost: declared.invalid\\r\\n\\r\\n`",
  "`GET http://__HOST__#.declared.invalid/ HTTP/1.1\\r\\nHost: declared.invalid\\r\\n\\r\\n`",
  "`GET http://localhost:${port}/ HTTP/1.1\\r\\nHost: declared.invalid\\r\\n\\r\\n`",
  "`CONNECT [::ffff:127.0.0.1]:${port} HTTP/1.1\\r\\n\\r\\nGET / HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n`",
  "`CONNECT 2130706433:${port} HTTP/1.1\\r\\n\\r\\nGET / HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n`",
  "`GET / HTTP/1.1\\r\\nHost: __HOST__\\r\\n\\r\\n`",
  "`GET http://__HOST__/ HTTP/1.0\\r\\n\\r\\n`",
];

/**
 * A request to the granted host with another one hidden in it: for a proxy that
 * reads its length in one way and passes it on to be read in another.
 */
const HIDDEN = "GET http://127.0.0.1:1/ HTTP/1.1\\r\\nHost: hidden\\r\\n\\r\\n";
const SMUGGLED = [
  `Content-Length: 0\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n0\\r\\n\\r\\n${HIDDEN}`,
  `Transfer-Encoding: chunked\\r\\nTransfer-Encoding: identity\\r\\nContent-Length: 5\\r\\n\\r\\n0\\r\\n\\r\\n${HIDDEN}`,
  `Content-Length: 0\\r\\nContent-Length: 60\\r\\n\\r\\n${HIDDEN}`,
  `Transfer-Encoding : chunked\\r\\n\\r\\n0\\r\\n\\r\\n${HIDDEN}`,
  `X: y\\nTransfer-Encoding: chunked\\r\\n\\r\\n0\\r\\n\\r\\n${HIDDEN}`,
  `Connection: Host, X\\r\\nContent-Length: -1\\r\\n\\r\\n${HIDDEN}`,
].map((rest) =>
  "`POST http://__HOST__/ HTTP/1.1\\r\\nHost: __HOST__\\r\\n" + rest + "`"
);

/** Attacks on the proxy of a run. */
export const PROXY_ATTACKS: readonly Attack[] = [
  {
    id: "proxy-direct",
    kind: "run-proxy",
    title: "asking the run's proxy for a host that was not granted",
    file: "a.mjs",
    source: ASK + attempt(...OUTSIDE.map((raw) => `ask(${raw})`)),
    target: "server",
    declares: { egress: ["declared.invalid"] },
    control: "granted",
    controlIn: "bwrap",
    granted: {
      declares: { egress: ["__HOST__"] },
      grant: { egress: ["__HOST__"] },
      source: ASK + attempt(`ask(${OUTSIDE[0]})`),
    },
    words: REFUSED,
  },
  {
    id: "proxy-smuggling",
    kind: "run-proxy-smuggling",
    title: "a request hidden in one to a granted host",
    file: "a.mjs",
    source: ASK +
      attempt(...SMUGGLED.map((raw) => `ask(${raw}).then(() => undefined)`)),
    target: "requests",
    declares: { egress: ["__HOST__"] },
    grant: { egress: ["__HOST__"] },
    control: {
      none:
        "whether a request was hidden is seen at the server, which counts any it cannot account for",
    },
    words: new RegExp(`${REFUSED.source}|nothing came of it`),
  },
];
