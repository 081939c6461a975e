/** When the bytes of files are read at all, by the system's own count. */

import { equal, notEqual, ok } from "node:assert/strict";
import { createHash } from "node:crypto";
import { ask } from "../../support/asking.ts";
import { connect, processTest } from "../../support/clients.ts";
import { makeTree } from "../../support/tree.ts";
import { until } from "../../support/until.ts";

const SIZE = 3 * 1024 * 1024;
/** Far more than an answer that reads nothing of the file costs. */
const LITTLE = SIZE / 3;

/** Bytes that a process has read so far, from whatever it reads. */
function bytesRead(pid: number): number {
  const text = Deno.readTextFileSync(`/proc/${pid}/io`);
  return Number(/^rchar: (\d+)$/m.exec(text)![1]);
}

Deno.test({
  name:
    "digests: made when a page is asked for and kept until the file changes in any way, its bytes never",
  ignore: Deno.build.os !== "linux",
  ...processTest,
  async fn() {
    const bytes = new Uint8Array(SIZE).fill(0xff);
    await using tree = await makeTree({
      "a/SKILL.md": "---\nname: a\ndescription: A.\n---\nA.\n",
      "a/big.bin": bytes,
    });
    const path = tree.path("a/big.bin");
    await Deno.utime(path, 1_600_000_000, 1_600_000_000);
    await using client = await connect("v1", {
      args: ["--skills", tree.root],
    });
    const cost = async (what: () => Promise<unknown>) => {
      const before = bytesRead(client.pid);
      await what();
      return bytesRead(client.pid) - before;
    };
    const digest = async (): Promise<string> => {
      const { skills } = await ask(client, "skills/list");
      return skills[0].resources.find(({ uri }: { uri: string }) =>
        uri === "skill://a/big.bin"
      ).digest;
    };
    const sha256 = () =>
      `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
    const settled = () => until(async () => await cost(digest) < LITTLE);

    await client.call("skill_list");
    const scan = await cost(() => client.call("skill_list", { reload: true }));
    ok(scan < LITTLE, `a scan read ${scan} bytes`);
    const first = await cost(async () => equal(await digest(), sha256()));
    ok(first >= SIZE, `the first page read ${first} bytes`);
    await settled();

    // Of the same length, with its old time of writing.
    bytes[5] = 0;
    const before = await Deno.stat(path);
    const file = await Deno.open(path, { write: true });
    await file.write(bytes.subarray(0, 16));
    file.close();
    await Deno.utime(path, before.atime!, before.mtime!);
    const again = await cost(async () => equal(await digest(), sha256()));
    ok(again >= SIZE, `after the edit ${again} bytes were read`);
    await settled();

    // What is kept is the digest: the bytes come from the disk each time.
    for (const _ of [1, 2]) {
      const read = await cost(async () => {
        const { contents } = await client.sdk.readResource({
          uri: "skill://a/big.bin",
        });
        notEqual(contents[0].blob, undefined);
      });
      ok(read >= SIZE, `a read took ${read} bytes from the disk`);
    }
  },
});
