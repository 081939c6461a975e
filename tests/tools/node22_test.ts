import assert from "node:assert/strict";
import { join } from "node:path";
import { ensureNode22 } from "../../tools/node22.ts";
import { makeTree } from "../support/tree.ts";

const PROJECT = join(import.meta.dirname!, "../..");

Deno.test("node22: every package is pinned by an exact version and an integrity", async () => {
  const read = async (name: string) =>
    JSON.parse(await Deno.readTextFile(join(PROJECT, "tools/node22", name)));
  const { dependencies } = await read("package.json");
  const { packages } = await read("package-lock.json");
  for (const [name, version] of Object.entries<string>(dependencies)) {
    assert.match(version, /^\d+\.\d+\.\d+(-alpha\.\d+)?$/, name);
    assert.equal(packages[`node_modules/${name}`].version, version);
  }
  for (
    const [path, entry] of Object.entries<Record<string, string>>(packages)
  ) {
    if (path === "") continue;
    assert.match(entry["integrity"] ?? "", /^sha512-/, path);
    // From whatever registry the user's npm is set up for.
    assert.equal(entry["resolved"], undefined, path);
  }
});

Deno.test("ensureNode22: installs once per lock file, and a failed installation leaves nothing", async () => {
  await using tree = await makeTree({
    "tools/node22/package.json": "{}",
    "tools/node22/package-lock.json": "first",
  });
  let installed = 0;
  const install = async (directory: string) => {
    installed++;
    assert.equal(
      await Deno.readTextFile(join(directory, "package.json")),
      "{}",
    );
    await Deno.mkdir(join(directory, "node_modules"));
  };
  await assert.rejects(
    () => ensureNode22(tree.root, () => Promise.reject(new Error("offline"))),
    /offline/,
  );
  const [first, same] = await Promise.all([
    ensureNode22(tree.root, install),
    ensureNode22(tree.root, install),
  ]);
  assert.equal(installed, 1);
  assert.deepEqual(first, same);
  assert.ok(first.node.startsWith(tree.path("dist/cache/node22-")));
  const kept = () =>
    [...Deno.readDirSync(tree.path("dist/cache"))].map(({ name }) => name)
      .filter((name) => name !== "node22.lock");
  assert.equal(kept().length, 1);
  await tree.write({ "tools/node22/package-lock.json": "second" });
  const second = await ensureNode22(tree.root, install);
  assert.equal(installed, 2);
  assert.notEqual(second.node, first.node);
});
