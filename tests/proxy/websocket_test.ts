import { deepEqual, equal, match } from "node:assert/strict";
import { makeScene, readAll, readUntil, send, startHost } from "./support.ts";

Deno.test("startProxy: a WebSocket is joined after the same checks", async () => {
  for (const plain of [false, true]) {
    await using host = startHost(async ({ head }, conn) => {
      match(head, /\r\nConnection: Upgrade\r\nUpgrade: websocket/);
      match(head, /sec-websocket-key: abc/i);
      await send(
        conn,
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: xyz\r\n\r\nhello",
      );
      await send(conn, (await readUntil(conn, "!")).toUpperCase());
    }, { plain });
    const at = `api.example.test:${host.port}`;
    const scheme = plain ? "http" : "https";
    await using scene = await makeScene({ hosts: [at] });
    const ask = (where: string) =>
      `GET ${scheme}://${where}/ws HTTP/1.1\r\nHost: ${where}\r\nupgrade: websocket\r\nconnection: Upgrade\r\nSec-WebSocket-Key: abc\r\n\r\n`;
    using conn = await scene.connect();
    await send(conn, ask(at));
    match(
      await readUntil(conn, "hello"),
      /^HTTP\/1\.1 101 Switching Protocols\r\nSec-WebSocket-Accept: xyz\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nhello$/,
    );
    await send(conn, "frame!");
    equal(await readAll(conn), "FRAME!");
    match(await scene.raw(ask(`x.example.test:${host.port}`)), / 403 /);
    const { contacts } = await scene.end();
    deepEqual(contacts.map(({ via, verdict }) => [via, verdict]), [
      ["tunnel", "allowed"],
      ["tunnel", "denied"],
    ]);
  }
});

Deno.test("startProxy: a host that declines to upgrade answers as usual", async () => {
  await using host = startHost();
  const at = `api.example.test:${host.port}`;
  await using scene = await makeScene({ hosts: [at] });
  using conn = await scene.connect();
  await send(
    conn,
    `GET https://${at}/ HTTP/1.1\r\nHost: ${at}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n`,
  );
  match(await readUntil(conn, "\r\n\r\nok"), /^HTTP\/1\.1 200 OK\r\n/);
});
