/** What a Plan says of the layers, and that no other shell text is in the product. */

import assert from "node:assert/strict";
import { join } from "node:path";
import type { OsState } from "../../src/fence/os_layer.ts";
import type { BwrapLayer, LandlockLayer } from "../../src/os/types.ts";
import { openFence } from "../support/fenced.ts";
import { makeTree } from "../support/tree.ts";
import { MODES } from "./b_layer_modes.ts";
import { callOf, declares, makeFixture, prepare } from "./plan_fixture.ts";

const BWRAP: BwrapLayer = {
  by: "bwrap",
  path: "/usr/bin/bwrap",
  version: "0.8.0",
  disableUserns: true,
  libraries: [],
  prlimit: undefined,
  warnings: [],
};
const landlock = (abi: number): LandlockLayer => ({
  by: "landlock",
  abi,
  launcher: ["/skillfence", "__confine"],
  libraries: [],
});

/** The notes of a Plan's layers by name, where this layer holds. */
async function notes(
  state: Partial<OsState>,
  more: { readonly sockets?: boolean; readonly egress?: boolean } = {},
): Promise<Record<string, string>> {
  const { sockets = false, egress = sockets } = more;
  const block = declares(
    "run.mjs",
    `${sockets ? "      sockets: true\n" : ""}${
      egress ? "  egress: [example.org]\n" : ""
    }`,
  );
  await using fixture = await makeFixture({
    block,
    files: { "run.mjs": "" },
    grant: [{
      skill: "demo",
      script: "run.mjs",
      egress: egress ? ["example.org"] : [],
      sockets,
    }],
    deps: {
      os: () =>
        Promise.resolve({
          wanted: "auto",
          layer: undefined,
          off: [],
          ...state,
        }),
    },
  });
  const { plan } = await prepare(fixture.planner, callOf());
  return Object.fromEntries(plan.layers.map(({ name, note }) => [name, note]));
}

const DIRECT =
  /file reads rest on layer 3 \(os\) alone.*all other permissions rest on both/;
const WORKER = /obeyed by imports too/;

Deno.test("Plan: the main module's file reads rest on layer 3 alone, a worker's on both", async () => {
  for (const egress of [false, true]) {
    const direct = await notes({ layer: BWRAP }, { egress });
    assert.match(direct["permissions"]!, DIRECT);
  }
  const worker: [Partial<OsState>, { sockets?: boolean }][] = [
    [{ layer: BWRAP, wanted: "bwrap+worker" }, {}],
    [{ layer: BWRAP }, { sockets: true }],
    [{ layer: landlock(7) }, {}],
    [{}, {}],
  ];
  for (const [state, more] of worker) {
    const { permissions } = await notes(state, more);
    assert.match(permissions!, WORKER);
    assert.doesNotMatch(permissions!, DIRECT);
  }
});

Deno.test("Plan: below ABI 6 of Landlock abstract sockets rest on the permission flags", async () => {
  const said = /abstract name rest on the permission flags/;
  for (const [abi, rests] of [[3, true], [5, true], [6, false]] as const) {
    for (const more of [{ egress: true }, { sockets: true }]) {
      const { os } = await notes({ layer: landlock(abi) }, more);
      assert.match(os!, new RegExp(`Landlock \\(ABI ${abi}\\)`));
      assert.equal(said.test(os!), rests, `${abi} ${JSON.stringify(more)}`);
    }
    // Without a network the filter refuses every unix socket.
    const { os } = await notes({ layer: landlock(abi) });
    assert.doesNotMatch(os!, /rest on/);
  }
});

Deno.test("Plan: a script of a root server without another account runs as root, and that is said", async () => {
  await using fixture = await makeFixture({ files: { "run.mjs": "" } });
  const { plan } = await prepare(fixture.planner, callOf());
  assert.equal(
    plan.permissions.includes("runs as root, as this server does"),
    Deno.build.os !== "windows" && Deno.uid() === 0,
  );
});

for (const { mode, need } of MODES) {
  Deno.test({
    name: `imports (${mode}): a file outside is stopped by ${
      mode === "bwrap" ? "layer 3, where it is not there" : "the flags"
    }`,
    ...need(),
    async fn() {
      await using tree = await makeTree({
        "root/hostile/SKILL.md":
          "---\ndescription: d\nmcp-host:\n  version: 1\n  run:\n    - { script: a.mjs, interpreter: deno }\n---\n",
        "root/hostile/a.mjs": `import "../../outside.mjs";`,
        "outside.mjs": `console.log("imported")`,
      });
      using fence = openFence({
        root: tree.path("root"),
        env: { SKILLFENCE_OS_FENCE: mode },
      });
      const { stdout, stderr, result } = await fence.run("a.mjs");
      assert.equal(stdout, "");
      assert.equal(result.exitCode, 1);
      const said = mode === "bwrap"
        ? /Module not found/
        : /Requires read access/;
      assert.match(stderr, said);
    },
  });
}

/** Loads the product where another system seems to be, and runs a script. */
const ELSEWHERE = `
const [os, support, root, wanted] = Deno.args;
Object.defineProperty(Deno, "build", { value: { ...Deno.build, os } });
const { openFence } = await import(support);
using fence = openFence({ root, env: { SKILLFENCE_OS_FENCE: wanted } });
const prepared = await fence.prepare("a.mjs");
if (!prepared.ok) console.log(JSON.stringify(prepared));
else {
  const { layers, confinement } = prepared.value.plan;
  const { stdout } = await fence.run("a.mjs");
  console.log(JSON.stringify({ layers, by: confinement.by, stdout }));
}
`;

Deno.test("macOS and Windows: the same Plan with layer 2, and require refuses", async () => {
  await using tree = await makeTree({
    "root/hostile/SKILL.md":
      "---\ndescription: d\nmcp-host:\n  version: 1\n  run:\n    - { script: a.mjs, interpreter: deno }\n---\n",
    "root/hostile/a.mjs": "console.log('ran')",
    "elsewhere.ts": ELSEWHERE,
  });
  const on = async (os: string, wanted: string) => {
    const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [
        ...["run", "-A", "--no-check", "--quiet", "--config"],
        join(import.meta.dirname!, "..", "..", "deno.json"),
        tree.path("elsewhere.ts"),
        os,
        import.meta.resolve("../support/fenced.ts"),
        ...[tree.path("root"), wanted],
      ],
    }).output();
    const text = new TextDecoder().decode(stdout);
    assert.notEqual(text, "", new TextDecoder().decode(stderr));
    return JSON.parse(text);
  };
  for (const os of ["darwin", "windows"]) {
    const { layers, by, stdout } = await on(os, "auto");
    assert.equal(stdout, "ran\n");
    assert.equal(by, "none");
    assert.deepEqual(
      layers.map(({ name, on }: { name: string; on: boolean }) => [name, on]),
      [["decision", true], ["permissions", true], ["os", false]],
    );
    assert.match(layers[2].note, /not on this platform/);
    assert.equal((await on(os, "require")).code, "FENCE_UNAVAILABLE");
  }
});

Deno.test("src: one shell text, the wrapper's", async () => {
  const shells: string[] = [];
  const texts: string[] = [];
  const src = join(import.meta.dirname!, "..", "..", "src");
  const look = async (dir: string, rel: string): Promise<void> => {
    for await (const { name, isDirectory } of Deno.readDir(dir)) {
      const path = join(dir, name);
      if (isDirectory) await look(path, `${rel}${name}/`);
      else if (name.endsWith(".ts")) {
        const code = await Deno.readTextFile(path);
        if (/["'`](?:\/\S*\/)?(?:ba|da|z)?sh["'`]/.test(code)) {
          shells.push(rel + name);
        }
        if (/["']-c["']|shell: true/.test(code)) texts.push(rel + name);
      }
    }
  };
  await look(src, "");
  // The trial of an account starts the same shell with nothing to do.
  assert.deepEqual(shells.sort(), ["os/account.ts", "os/wrapper.ts"]);
  assert.deepEqual(texts, ["os/wrapper.ts"]);
});
