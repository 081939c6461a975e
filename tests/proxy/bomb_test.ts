/** Answers that unpack to far more than was sent. */

import { equal, ok, rejects } from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { createGzip } from "node:zlib";
import {
  byteChunks,
  bytesOf,
  makeScene,
  pattern,
  send,
  startHost,
  textOf,
} from "./support.ts";

const MIB = 2 ** 20;
/** Of the process in which host, proxy and client are, at a standstill. */
const MAX_GROWTH = 64 * MIB;
/** With what all three leave to be collected; Deno 2.7 takes larger pieces. */
const MAX_AT_WORK = 128 * MIB;

Deno.test("startProxy: an answer that unpacks to 512 MiB takes little memory, whether its client stops or reads", async () => {
  const file = (name: string) => fileURLToPath(new URL(name, import.meta.url));
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "-A", "--config", file("../../deno.json")],
      file("bomb_program.ts"),
    ],
    stdin: "null",
  }).output();
  const said = new TextDecoder().decode(stdout);
  ok(said !== "", new TextDecoder().decode(stderr));
  const { still, atWork } = JSON.parse(said);
  ok(still < MAX_GROWTH, `${Math.round(still / MIB)} MiB more`);
  ok(atWork < MAX_AT_WORK, `${Math.round(atWork / MIB)} MiB more`);
});

Deno.test("startProxy: what is packed is passed on as it comes", async () => {
  const [second, end] = [1, 2].map(() => Promise.withResolvers<void>());
  const gzip = createGzip();
  const packed = async (text: string) => {
    const parts: Uint8Array[] = [];
    const take = (part: Uint8Array) => void parts.push(part);
    gzip.on("data", take);
    gzip.write(text);
    await new Promise<void>((done) => gzip.flush(() => done()));
    gzip.off("data", take);
    return byteChunks(
      new Uint8Array(
        await new Blob(parts as BlobPart[])
          .arrayBuffer(),
      ),
    ).slice(0, -5);
  };
  await using host = startHost(async (_, conn) => {
    await send(
      conn,
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n\r\n",
    );
    await send(conn, await packed("first "));
    await second!.promise;
    await send(conn, await packed("second"));
    await end!.promise;
    // It ends without the end of its coding: that is no whole answer.
    return bytesOf("0\r\n\r\n");
  });
  const at = `api.example.test:${host.port}`;
  const secrets = [{ name: "KEY", value: "sk-live", hosts: [pattern(at)] }];
  await using scene = await makeScene({ hosts: [at], secrets });
  const response = await scene.fetch(`https://${at}/`);
  const reader = response.body!.getReader();
  const read = async (length: number) => {
    let text = "";
    while (text.length < length) text += textOf((await reader.read()).value!);
    return text;
  };
  equal(await read(6), "first ");
  second!.resolve();
  equal(await read(6), "second");
  end!.resolve();
  await rejects(reader.read());
});
