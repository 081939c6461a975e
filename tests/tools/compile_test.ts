import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { cacheDir, CAN_BUILD_BINARY } from "../../tools/build/binary.ts";
import { compileBinary } from "../../tools/build/compile_binary.ts";
import { findTarget, RUNTIME_VERSION } from "../../tools/build/targets.ts";
import { makeTree } from "../support/tree.ts";

const PROJECT = join(import.meta.dirname!, "../..");

/** A program that unpacks what it carries, as the product does. */
const STAND_IN = {
  "deno.json": "{}",
  "src/fence/carried.ts":
    "export const CARRIED: Record<string, unknown> | undefined = undefined;\n",
  "src/fence/show.ts": `
    import { CARRIED } from "./carried.ts";
    export function show(): Record<string, unknown> {
      return CARRIED ?? { kind: "none" };
    }`,
  "main.ts": `
    import { show } from "./src/fence/show.ts";
    const carried = show() as { offset: number; size: number };
    const file = Deno.openSync(Deno.execPath());
    file.seekSync(carried.offset, Deno.SeekMode.Start);
    const bytes = new Uint8Array(carried.size);
    for (let at = 0; at < bytes.length;) {
      at += file.readSync(bytes.subarray(at)) ?? bytes.length;
    }
    Deno.writeFileSync(Deno.args[0]!, bytes, { mode: 0o755 });
    const skill = import.meta.dirname + "/skills/one/";
    Deno.stdout.writeSync(new TextEncoder().encode(JSON.stringify({
      carried,
      files: [...Deno.readDirSync(skill)].map((entry) => entry.name).sort(),
      script: Deno.readTextFileSync(skill + "a.ts.packed"),
      standalone: Deno.build.standalone,
      wasm: typeof WebAssembly,
    })));`,
  "skills/one/SKILL.md": "# One\n",
  "skills/one/a.ts": "export const a: number = 1;\n",
  // A script of a skill is data: its imports are no business of the build.
  "skills/one/b.mjs": 'import "file:///absent.mjs";\nimport "npm:absent";\n',
  "skills/one/.hidden": "x",
};

async function build(root: string, target = findTarget()): Promise<string> {
  const output = join(root, "out", "program");
  await compileBinary({
    root,
    target,
    base: "offline",
    output,
    cacheDir: cacheDir(PROJECT),
    onStep: () => {},
  });
  return output;
}

Deno.test({
  name: "compileBinary: the binary finds its runtime at its constants",
  ignore: !CAN_BUILD_BINARY,
  async fn() {
    await using tree = await makeTree({
      ...STAND_IN,
      "deno.lock": '{"version":"5"}',
    });
    const program = await build(tree.root);
    const runtime = tree.path("runtime");
    const { success, stdout, stderr } = await new Deno.Command(program, {
      args: [runtime],
      cwd: "/",
      clearEnv: true,
    }).output();
    assert.ok(success, new TextDecoder().decode(stderr));
    const said = JSON.parse(new TextDecoder().decode(stdout));
    assert.equal(said.standalone, true);
    assert.equal(said.carried.kind, "appended");
    assert.equal(said.carried.version, RUNTIME_VERSION);
    assert.equal(
      said.carried.sha256,
      createHash("sha256").update(await Deno.readFile(runtime)).digest("hex"),
    );
    assert.deepEqual(said.files, [
      ".hidden.packed",
      "SKILL.md.packed",
      "a.ts.packed",
      "b.mjs.packed",
    ]);
    assert.equal(said.script, STAND_IN["skills/one/a.ts"]);
    // Lite mode is baked in: it is what lets the server live in 256 MiB.
    assert.equal(said.wasm, "undefined");
    const version = await new Deno.Command(runtime, { args: ["--version"] })
      .output();
    assert.match(
      new TextDecoder().decode(version.stdout),
      new RegExp(`^deno ${RUNTIME_VERSION.replaceAll(".", "\\.")} `),
    );
    const limited = await new Deno.Command("prlimit", {
      args: ["--data=268435456", program, runtime],
    }).output();
    assert.ok(limited.success, new TextDecoder().decode(limited.stderr));
    // Only the executable is left, nothing half made beside it.
    assert.deepEqual(
      [...Deno.readDirSync(tree.path("dist", "build"))],
      [],
    );
  },
});

Deno.test({
  name: "compileBinary: a bundle without its constants is refused",
  ignore: !CAN_BUILD_BINARY,
  async fn() {
    await using tree = await makeTree({
      ...STAND_IN,
      "deno.lock": '{"version":"5"}',
      "main.ts": "Deno.exit(0);\n",
    });
    await assert.rejects(build(tree.root), /stand in the bundle 0 times/);
    await assert.rejects(Deno.stat(tree.path("out", "program")));
  },
});

Deno.test("compileBinary: the offline base is for Linux x64 only", async () => {
  await using tree = await makeTree(STAND_IN);
  const target = findTarget("aarch64-unknown-linux-gnu");
  await assert.rejects(
    build(tree.root, target),
    /offline base exists for x86_64-unknown-linux-gnu only, not aarch64/,
  );
});

Deno.test("officialBase: a failed download names the offline base", async () => {
  await using tree = await makeTree({
    "ask.ts": `
      import { officialBase } from ${
      JSON.stringify(import.meta.resolve("../../tools/build/base.ts"))
    };
      import { findTarget } from ${
      JSON.stringify(import.meta.resolve("../../tools/build/targets.ts"))
    };
      await officialBase(findTarget(), Deno.args[0]!, Deno.args[0]!);`,
  });
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", tree.path("ask.ts"), tree.root],
    // Nothing listens there: whatever is downloaded fails at once.
    env: { HTTPS_PROXY: "http://127.0.0.1:1", NO_PROXY: "", NO_COLOR: "1" },
  }).output();
  assert.equal(code, 1);
  assert.match(
    new TextDecoder().decode(stderr),
    /BuildError: the official base binary of Deno .* --base offline builds/,
  );
});

Deno.test("compile.ts: an argument that is none ends in one line, exit 1", async () => {
  for (
    const [args, message] of [
      [["--target", "riscv64"], /^error: unknown target "riscv64": one of x86/],
      [["--base", "mine"], /^error: --base mine: official or offline/],
      [["--bas", "mine"], /^error: .*'--bas'/],
    ] as const
  ) {
    const { code, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", join(PROJECT, "tools/compile.ts"), ...args],
    }).output();
    assert.equal(code, 1);
    assert.match(new TextDecoder().decode(stderr), message);
  }
});
