import assert from "node:assert/strict";
import { probeRuntime } from "../../src/fence/runtime_probe.ts";
import { makeTree } from "../support/tree.ts";
import { onUnix } from "./processes.ts";

/** A runtime that drops one of the protections: it edits its command line. */
async function probeThrough(edit: string): Promise<string | undefined> {
  await using tree = await makeTree({
    tmp: { dir: true },
    "edit.mjs": `
      const edit = ${edit};
      const { code } = await new Deno.Command(${
      JSON.stringify(Deno.execPath())
    }, { args: edit(Deno.args), stdin: "inherit" }).spawn().status;
      Deno.exit(code);
    `,
  });
  await tree.write({
    deno: `#!/bin/sh\nexec ${Deno.execPath()} run -A --no-config ${
      tree.path("edit.mjs")
    } "$@"\n`,
  });
  await Deno.chmod(tree.path("deno"), 0o755);
  const verdict = await probeRuntime(tree.path("deno"), tree.path("tmp"));
  assert.deepEqual([...Deno.readDirSync(tree.path("tmp"))], []);
  return verdict;
}

Deno.test({
  name: "probeRuntime: the pinned version holds",
  ...onUnix,
  async fn() {
    await using tree = await makeTree();
    assert.equal(await probeRuntime(Deno.execPath(), tree.root), undefined);
    assert.deepEqual([...Deno.readDirSync(tree.root)], []);
  },
});

Deno.test({
  name:
    "probeRuntime: holds through an editor that edits nothing (the control)",
  ...onUnix,
  async fn() {
    assert.equal(await probeThrough("(args) => args"), undefined);
  },
});

Deno.test({
  name:
    "probeRuntime: a runtime without the worker rule for static imports is told",
  ...onUnix,
  async fn() {
    // The script becomes the main module, as it is without a worker.
    const verdict = await probeThrough(`(args) => args.map((arg) => {
      const file = /file:[^"]*graph\\.mjs/.exec(decodeURIComponent(arg));
      return arg.startsWith("data:text/javascript") && file ? file[0] : arg;
    })`);
    assert.match(verdict ?? "", /static import/);
  },
});

Deno.test({
  name: "probeRuntime: a runtime without the worker rule for require is told",
  ...onUnix,
  async fn() {
    const verdict = await probeThrough(`(args) => args.map((arg) => {
      const file = /file:[^"]*check\\.mjs/.exec(decodeURIComponent(arg));
      return arg.startsWith("data:text/javascript") && file ? file[0] : arg;
    })`);
    assert.match(verdict ?? "", /read at run time/);
  },
});

Deno.test({
  name: "probeRuntime: a runtime that ignores denied ranges is told",
  ...onUnix,
  async fn() {
    const verdict = await probeThrough(
      `(args) => args.filter((arg) => !arg.startsWith("--deny-net="))`,
    );
    assert.match(verdict ?? "", /private address/);
  },
});

Deno.test({
  name: "probeRuntime: a runtime that shows every variable is told",
  ...onUnix,
  async fn() {
    const verdict = await probeThrough(
      `(args) => args.filter((arg) => arg !== "--ignore-env").map((arg) =>
        arg.startsWith("--allow-env=") ? "--allow-env" : arg)`,
    );
    assert.match(verdict ?? "", /variable/);
  },
});

Deno.test({
  name: "probeRuntime: a runtime on which nothing works proves nothing",
  ...onUnix,
  async fn() {
    await using tree = await makeTree();
    const verdict = await probeRuntime("/bin/true", tree.root);
    assert.match(verdict ?? "", /plain script does not work/);
  },
});

Deno.test({
  name:
    "probeRuntime: denial proves nothing where a grant does not admit either",
  ...onUnix,
  async fn() {
    const verdict = await probeThrough(
      `(args) => args.flatMap((arg) =>
        arg.startsWith("--allow-net=") ? ["--deny-net"] : [arg])`,
    );
    assert.match(verdict ?? "", /proves nothing/);
  },
});
