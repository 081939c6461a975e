import assert from "node:assert/strict";
import { findServerProgram } from "../../src/upstream/program.ts";
import { makeTree, type Tree } from "../support/tree.ts";

const PLACES = { directories: ["/usr"], links: [] };

async function find(
  tree: Tree,
  command: string,
  more: Partial<Parameters<typeof findServerProgram>[2]> = {},
  args: readonly string[] = [],
) {
  const found = await findServerProgram(command, args, {
    skillDir: tree.path("skill"),
    searchPath: undefined,
    home: tree.path("home"),
    account: undefined,
    places: PLACES,
    ourselves: [],
    ...more,
  });
  return found.ok
    ? {
      path: found.value.path.replace(`${tree.root}/`, ""),
      shown: found.value.shown.map((path) => path.replace(`${tree.root}/`, "")),
      searchPath: found.value.searchPath.replaceAll(`${tree.root}/`, ""),
    }
    : `${found.code} ${found.message}`;
}

async function programs(paths: readonly string[]): Promise<Tree> {
  const tree = await makeTree({
    skill: { dir: true },
    home: { dir: true },
    ...Object.fromEntries(paths.map((path) => [path, "#!/bin/sh\n"])),
  });
  for (const path of paths) await Deno.chmod(tree.path(path), 0o755);
  return tree;
}

Deno.test("findServerProgram: a name along PATH, with what is installed beside it", async () => {
  const places: [string, string][] = [
    ["home/.nvm/versions/node/v22/bin/tool", "home/.nvm/versions/node/v22"],
    ["home/.pyenv/versions/3.12/bin/tool", "home/.pyenv/versions/3.12"],
    // Of these, what lies above holds other things of the user's.
    ["home/.cargo/bin/tool", "home/.cargo/bin"],
    ["home/.local/bin/tool", "home/.local/bin"],
    ["home/bin/tool", "home/bin"],
    ["home/tool", "home/tool"],
    ["opt/thing/bin/tool", "opt/thing"],
  ];
  for (const [path, shown] of places) {
    await using tree = await programs([path]);
    const dir = path.slice(0, path.lastIndexOf("/"));
    assert.deepEqual(
      await find(tree, "tool", { searchPath: `relative:${tree.path(dir)}` }),
      {
        path,
        shown: [shown],
        searchPath: `${dir}:/usr/local/bin:/usr/bin:/bin`,
      },
    );
  }
});

Deno.test("findServerProgram: a link shows where it is and where it leads", async () => {
  await using tree = await programs(["home/.v/node/1/lib/npm/bin/npx.js"]);
  await tree.write({
    "home/.v/node/1/bin/npx": { link: "../lib/npm/bin/npx.js" },
  });
  const found = await find(tree, "npx", {
    searchPath: tree.path("home/.v/node/1/bin"),
  });
  assert.deepEqual(found, {
    path: "home/.v/node/1/bin/npx",
    shown: ["home/.v/node/1", "home/.v/node/1/lib/npm"],
    searchPath: "home/.v/node/1/bin:/usr/local/bin:/usr/bin:/bin",
  });
});

Deno.test("findServerProgram: the system's own needs nothing shown", async () => {
  await using tree = await programs([]);
  assert.deepEqual(await find(tree, "env"), {
    path: "/usr/bin/env",
    shown: [],
    searchPath: "/usr/local/bin:/usr/bin:/bin",
  });
});

Deno.test("findServerProgram: a path within the skill, if it can be executed", async () => {
  await using tree = await programs(["skill/bin/server", "outside"]);
  await tree.write({ "skill/plain": "x", "skill/out": { link: "../outside" } });
  assert.deepEqual(await find(tree, "./bin/server"), {
    path: "skill/bin/server",
    shown: [],
    searchPath: "/usr/local/bin:/usr/bin:/bin",
  });
  assert.deepEqual(
    await find(tree, tree.path("skill/bin/server")),
    await find(tree, "bin/server"),
  );
  const refused: [string, RegExp][] = [
    ["./plain", /not executable/],
    ["./none", /there is none/],
    ["./bin", /not a regular file/],
    ["../outside", /leads out of the skill/],
    ["./out", /leads out of the skill/],
    ["nowhere-to-be-found", /none on PATH/],
  ];
  for (const [command, why] of refused) {
    assert.match(String(await find(tree, command)), why, command);
  }
  const flat = await find(tree, "./bin/server", { skillDir: undefined });
  assert.match(String(flat), /flat skill/);
});

Deno.test("findServerProgram: what others can replace is not started", async () => {
  await using tree = await programs(["bin/open/tool"]);
  await Deno.chmod(tree.path("bin/open"), 0o777);
  const found = await find(tree, "tool", { searchPath: tree.path("bin/open") });
  assert.match(String(found), /writable by others/);
  const absolute = await find(tree, tree.path("bin/open/tool"));
  assert.match(String(absolute), /writable by others/);
});

Deno.test("findServerProgram: what scripts' account cannot read is passed over", async () => {
  await using tree = await programs(["home/bin/env"]);
  await Deno.chmod(tree.path("home"), 0o700);
  const found = await find(tree, "env", {
    searchPath: tree.path("home/bin"),
    account: { uid: 4_000_000, gid: 4_000_000 },
  });
  assert.equal(typeof found === "string" ? found : found.path, "/usr/bin/env");
});

Deno.test("findServerProgram: neither our executable nor our main module", async () => {
  await using tree = await programs(["bin/x/skillfence", "skill/main.ts"]);
  const ourselves = [tree.path("bin/x/skillfence"), tree.path("skill/main.ts")];
  const searchPath = tree.path("bin/x");
  const cases: [string, string[]][] = [
    ["skillfence", []],
    [tree.path("bin/x/skillfence"), ["serve"]],
    ["env", ["main.ts"]],
    ["env", ["run", "-A", `file://${tree.path("skill/main.ts")}`]],
  ];
  for (const [command, args] of cases) {
    const found = await find(tree, command, { ourselves, searchPath }, args);
    assert.match(String(found), /this server itself/, command);
  }
  assert.equal(
    typeof await find(tree, "env", { ourselves }, ["other.ts"]),
    "object",
  );
});
