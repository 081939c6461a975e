/** When the server has no descriptor left for one more connection. */

import assert from "node:assert/strict";
import { processTest } from "../support/clients.ts";
import { makeTree } from "../support/tree.ts";
import { readAnswer } from "./raw.ts";
import { startHttp } from "./server.ts";
import { until } from "../support/until.ts";

const SKILL = { "s/a/SKILL.md": "---\nname: a\ndescription: d\n---\n" };
const DESCRIPTORS = 200;

for (const kind of ["TCP", "a unix socket"] as const) {
  Deno.test({
    name:
      `http connections: on ${kind} more than there are descriptors for are turned away, and once they go it serves as before`,
    ignore: Deno.build.os === "windows",
    ...processTest,
    async fn() {
      await using tree = await makeTree(SKILL);
      const path = tree.path("socket");
      await using server = await startHttp({
        skills: tree.path("s"),
        descriptors: DESCRIPTORS,
        ...kind === "TCP" ? {} : { http: `unix:${path}` },
      });
      const connect = async (): Promise<Deno.Conn> =>
        kind === "TCP"
          ? await Deno.connect({ hostname: "127.0.0.1", port: server.port })
          : await Deno.connect({ transport: "unix", path });
      const ask = async (connection: Deno.Conn, page = "/healthz") => {
        await connection.write(
          new TextEncoder().encode(
            `GET ${page} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${server.token}\r\n\r\n`,
          ),
        );
        return (await readAnswer(connection, 5000)).status;
      };
      const fresh = async (page: string) => {
        try {
          using connection = await connect();
          return await ask(connection, page);
        } catch {
          return undefined;
        }
      };
      await until(async () => await fresh("/readyz") === 200);
      using old = await connect();
      assert.equal(await ask(old), 200);
      const idle: Deno.Conn[] = [];
      await until(async () => {
        try {
          idle.push(await connect());
        } catch {
          // The listener is between two lives.
        }
        return /connections could not be accepted/.test(server.stderr());
      });
      // Who is in is served on.
      assert.equal(await ask(old), 200);
      for (const connection of idle) connection.close();
      await until(async () => await fresh("/metrics") === 200);
      assert.equal(await ask(old), 200);
      assert.ok(!server.stderr().includes("internal error"), server.stderr());
      if (kind !== "TCP") {
        assert.equal((await Deno.lstat(path)).mode! & 0o777, 0o600);
      }
      server.child.kill("SIGTERM");
      assert.equal((await server.status).code, 0);
      if (kind !== "TCP") await assert.rejects(Deno.lstat(path));
    },
  });
}
