import assert from "node:assert/strict";
import { join } from "node:path";
import { parse } from "yaml";
import { RUNTIME_VERSION, TARGETS } from "../../tools/build/targets.ts";
import { importsOf } from "../../tools/code_text.ts";
import { walkFiles } from "../../tools/walk_files.ts";

const PROJECT = join(import.meta.dirname!, "../..");
const read = (path: string) => Deno.readTextFile(join(PROJECT, path));

Deno.test("deno.json: dependencies are exact versions from npm, all of them locked", async () => {
  const { imports } = JSON.parse(await read("deno.json"));
  const lock = JSON.parse(await read("deno.lock"));
  const specifiers = Object.values<string>(imports);
  assert.ok(specifiers.length > 8);
  for (const specifier of specifiers) {
    const exact = specifier.match(
      /^npm:\/?((?:@[^/@]+\/)?[^/@]+@\d+\.\d+\.\d+)(?:\/.*)?$/,
    )?.[1];
    assert.ok(exact, `${specifier} is not an exact npm version`);
    assert.ok(
      Object.keys(lock.npm).some((key) =>
        key === exact || key.startsWith(`${exact}_`)
      ),
      `${exact} is not in deno.lock`,
    );
  }
  for (
    const [name, entry] of Object.entries<{ integrity?: string }>(lock.npm)
  ) {
    assert.match(entry.integrity ?? "", /^sha512-/, `${name} has no integrity`);
  }
  assert.deepEqual(
    Object.keys(lock).filter((key) => key === "remote" || key === "jsr"),
    [],
  );
});

Deno.test("src: nothing is imported that deno.json does not pin", async () => {
  const { imports } = JSON.parse(await read("deno.json"));
  for (const folder of ["src", "tools"]) {
    for await (const path of walkFiles(join(PROJECT, folder))) {
      if (!path.endsWith(".ts")) continue;
      for (const { specifier } of importsOf(await read(`${folder}/${path}`))) {
        if (specifier === undefined || /^(\.|node:)/.test(specifier)) continue;
        assert.ok(
          Object.keys(imports).some((key) =>
            key === specifier || key.endsWith("/") && specifier.startsWith(key)
          ),
          `${folder}/${path} imports ${specifier}`,
        );
      }
    }
  }
});

Deno.test("targets: every platform's runtime is pinned by version and integrity", () => {
  assert.equal(TARGETS.length, 6);
  for (const { triple, runtime, runtimePath, suffix, appends } of TARGETS) {
    assert.match(runtime.name, /^@deno\/(linux|darwin|win32)-(x64|arm64)/);
    assert.equal(runtime.version, RUNTIME_VERSION);
    assert.match(runtime.integrity, /^sha512-[A-Za-z0-9+/]{86}==$/);
    assert.equal(runtimePath, `package/deno${suffix}`);
    assert.equal(suffix === ".exe", triple.includes("windows"));
    assert.equal(appends, triple.includes("linux"));
  }
  assert.equal(new Set(TARGETS.map((one) => one.runtime.integrity)).size, 6);
});

Deno.test("mint.yaml: proposes a name, a slug and no egress, and nothing else", async () => {
  const text = await read("mint.yaml");
  const { summary, ...rest } = parse(text);
  assert.equal(typeof summary, "string");
  assert.deepEqual(rest, {
    version: 1,
    name: "skillfence",
    slug: "skills",
    egress: { allow: [] },
  });
  // What is left out is left out on purpose, and says why.
  for (const word of ["runtime", "skills", "state", "egress"]) {
    assert.match(text, new RegExp(`^# ${word} +\\S`, "m"));
  }
});

Deno.test("CI: installs what the layers need, bubblewrap among it", async () => {
  const text = await read(".ci/run");
  assert.match(text, /bubblewrap:\/usr\/bin\/bwrap/);
  assert.match(text, /apt-get install/);
  // Neither mode is left out by a machine that lacks something.
  assert.doesNotMatch(text, /^[^#]*SKILLFENCE_TEST_WITHOUT/m);
});

Deno.test("CI: runs the README's test command, compiles, and names three systems", async () => {
  const readme = await read("README.md");
  const script = await read(".ci/run");
  const command = `npx -y deno@${RUNTIME_VERSION} task test`;
  assert.ok(readme.includes(command), "README");
  assert.ok(script.includes(command), ".ci/run");
  assert.match(script, /task --quiet compile --base offline/);
  const workflow = parse(await read(".github/workflows/ci.yml"));
  const text = JSON.stringify(workflow);
  for (const word of ["ubuntu", "macos", "windows", command]) {
    assert.ok(text.includes(word), word);
  }
  // Official actions only.
  for (const [, action] of text.matchAll(/"uses":"([^"]+)"/g)) {
    assert.match(action!, /^actions\//);
  }
});

Deno.test({
  name: ".ci/run: is a script that bash can read",
  ignore: Deno.build.os === "windows",
  async fn() {
    const { success } = await new Deno.Command("bash", {
      args: ["-n", join(PROJECT, ".ci/run")],
    }).output();
    assert.ok(success);
  },
});
