/** Unix sockets: who may connect, and what happens to the file. */

import assert from "node:assert/strict";
import { skillfence } from "../cli/command.ts";
import { processTest } from "../support/clients.ts";
import { makeTree } from "../support/tree.ts";
import { readAnswer } from "./raw.ts";
import { startHttp } from "./server.ts";

const SKILL = { "s/a/SKILL.md": "---\nname: a\ndescription: d\n---\n" };

async function ask(path: string, text: string) {
  using connection = await Deno.connect({ transport: "unix", path });
  await connection.write(new TextEncoder().encode(text));
  return await readAnswer(connection);
}

Deno.test({
  name:
    "http unix: the socket has mode 0600, needs no token, and Host is checked all the same",
  ...processTest,
  async fn() {
    await using tree = await makeTree(SKILL);
    const path = tree.path("socket");
    await using server = await startHttp({
      skills: tree.path("s"),
      http: `unix:${path}`,
    });
    const info = await Deno.lstat(path);
    assert.equal(info.mode! & 0o777, 0o600);
    const get = (host: string) =>
      ask(path, `GET /metrics HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    assert.equal((await get("localhost")).status, 200);
    assert.equal((await get("evil.example")).status, 403);
    server.child.kill("SIGTERM");
    assert.equal((await server.status).code, 0);
    await assert.rejects(Deno.lstat(path), Deno.errors.NotFound);
  },
});

Deno.test({
  name:
    "http unix: a dead server's socket is replaced, a living one's and any other file are not",
  ...processTest,
  async fn() {
    await using tree = await makeTree({ ...SKILL, file: "mine" });
    const path = tree.path("socket");
    const options = { skills: tree.path("s"), http: `unix:${path}` };
    const refused = (at: string) =>
      skillfence(["serve", "--http", `unix:${at}`, "--skills", tree.path("s")]);
    {
      await using server = await startHttp(options);
      const second = await refused(path);
      assert.equal(second.code, 2);
      assert.match(second.stderr, /a server listens there/);
      server.child.kill("SIGKILL");
      await server.status;
    }
    assert.ok((await Deno.lstat(path)).isSocket);
    await using server = await startHttp(options);
    const answer = await ask(
      path,
      "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
    );
    assert.equal(answer.status, 200);
    const other = await refused(tree.path("file"));
    assert.equal(other.code, 2);
    assert.match(other.stderr, /no socket is there/);
    assert.equal(await Deno.readTextFile(tree.path("file")), "mine");
    assert.ok(server.child.pid > 0);
  },
});
