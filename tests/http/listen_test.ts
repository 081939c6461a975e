/** What is said of an address that cannot be listened at. */

import assert from "node:assert/strict";
import { listen } from "../../src/http/listen.ts";

const OPTIONS = {
  handlerFor: () => () => Promise.resolve(new Response()),
  onLost: () => {},
};

for (const hostname of ["127.0.0.1", "::1"]) {
  Deno.test(`listen: at ${hostname}, an address that is taken is named with what to do`, async () => {
    using holder = Deno.listen({ hostname, port: 0 });
    const { port } = holder.addr as Deno.NetAddr;
    const taken = await listen({ kind: "tcp", hostname, port }, OPTIONS);
    assert.ok(!taken.ok);
    const host = hostname.includes(":") ? `[${hostname}]` : hostname;
    assert.equal(
      taken.message,
      `--http cannot listen at http://${host}:${port}: another program does`,
    );
    assert.match(taken.hint, /another port/);
  });
}

Deno.test("listen: an address of another machine, and a path that is none, are named with the reason", async () => {
  // Set aside for documentation: no machine has it.
  const foreign = await listen(
    { kind: "tcp", hostname: "192.0.2.1", port: 8787 },
    OPTIONS,
  );
  assert.ok(!foreign.ok);
  assert.match(
    foreign.message,
    /^--http cannot listen at http:\/\/192\.0\.2\.1:8787: AddrNotAvailable$/,
  );
  const missing = await listen(
    { kind: "unix", path: "/nonexistent/s.sock" },
    OPTIONS,
  );
  assert.ok(!missing.ok);
  assert.match(missing.message, /at unix:\/nonexistent\/s\.sock: /);
});
