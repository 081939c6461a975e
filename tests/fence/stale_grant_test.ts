import assert from "node:assert/strict";
import { ok } from "../../src/base/refusal.ts";
import { manifestDigest } from "../../src/fence/plan/bundle_digest.ts";
import { BundleMemory, staleGrant } from "../../src/fence/plan/stale_grant.ts";
import { makeTree } from "../support/tree.ts";
import {
  callOf,
  declares,
  makeFixture,
  prepare,
  skillMd,
} from "./plan_fixture.ts";

function record(
  files: Record<string, string>,
  more: { hosts?: string[]; variables?: string[] } = {},
) {
  const manifest = new Map(Object.entries(files));
  return {
    digest: manifestDigest(manifest),
    record: {
      manifest,
      hosts: more.hosts ?? [],
      variables: more.variables ?? [],
    },
  };
}

function memoryIn(dir: string): BundleMemory {
  return new BundleMemory(() => Promise.resolve(ok(dir)));
}

Deno.test("staleGrant: names files, hosts and variables that changed", async () => {
  await using tree = await makeTree();
  const memory = memoryIn(tree.root);
  const before = record({ "a": "1", "b": "1", "gone": "1" }, {
    hosts: ["x.org"],
    variables: ["A"],
  });
  const after = record({ "a": "1", "b": "2", "new\n": "1" }, {
    hosts: ["y.org"],
    variables: ["A", "B"],
  });
  memory.remember(before.digest, before.record);
  const refusal = await staleGrant([before.digest], after, memory);
  assert.equal(refusal.code, "GRANT_STALE");
  assert.match(
    refusal.message,
    /: changed: b; new: new\\u\{a\}; gone: gone; hosts added: y\.org; hosts removed: x\.org; variables added: B$/,
  );
  assert.ok(refusal.hint.includes(after.digest));
});

Deno.test("staleGrant: says so when the pinned bundle is not remembered", async () => {
  await using tree = await makeTree();
  const refusal = await staleGrant(
    [`sha256:${"0".repeat(64)}`],
    record({ a: "1" }),
    memoryIn(tree.root),
  );
  assert.match(
    refusal.message,
    /cannot be told, since no run of the pinned bundle is remembered/,
  );
});

Deno.test("BundleMemory: a confirmed bundle outlives the server, 0600, checked when read", async () => {
  await using tree = await makeTree();
  const { digest, record: kept } = record({ a: "1", l: "link:x" }, {
    hosts: ["x.org"],
  });
  const first = memoryIn(tree.root);
  assert.equal(await first.keep(digest), false, "nothing to keep yet");
  first.remember(digest, kept);
  assert.deepEqual(
    [...Deno.readDirSync(tree.root)],
    [],
    "remembering writes nothing",
  );
  assert.equal(await first.keep(digest), true);
  const path = tree.path("bundles", `${digest.slice(7)}.json`);
  assert.equal(Deno.lstatSync(path).mode! & 0o777, 0o600);
  assert.equal(Deno.lstatSync(tree.path("bundles")).mode! & 0o777, 0o700);
  assert.deepEqual(await memoryIn(tree.root).recall(digest), kept);
  await Deno.writeTextFile(
    path,
    Deno.readTextFileSync(path).replace('"1"', '"2"'),
  );
  assert.equal(await memoryIn(tree.root).recall(digest), undefined);
  for (
    const text of ["", "[]", "null", '{"files":1}', '{"files":[],"hosts":[1]}']
  ) {
    await Deno.writeTextFile(path, text);
    assert.equal(await memoryIn(tree.root).recall(digest), undefined, text);
  }
});

Deno.test("BundleMemory: a file is written once, and again when it changed or went", async () => {
  await using tree = await makeTree();
  const { digest, record: kept } = record({ a: "1" });
  const memory = memoryIn(tree.root);
  const path = tree.path("bundles", `${digest.slice(7)}.json`);
  const keep = async () => {
    memory.remember(digest, kept);
    assert.equal(await memory.keep(digest), true);
    return Deno.lstatSync(path).ino;
  };
  const first = await keep();
  assert.equal(await keep(), first);
  await Deno.writeTextFile(path, "{}");
  await keep();
  assert.deepEqual(await memoryIn(tree.root).recall(digest), kept);
  await Deno.remove(path);
  await keep();
  assert.deepEqual(await memoryIn(tree.root).recall(digest), kept);
});

Deno.test("BundleMemory: a digest is never taken for a path", async () => {
  await using tree = await makeTree({ "x.json": "{}" });
  const memory = memoryIn(tree.path("cache"));
  for (
    const digest of [
      "../../x",
      "sha256:../../x",
      "sha256:" + "0".repeat(63),
      "",
    ]
  ) {
    assert.equal(await memory.recall(digest), undefined);
    assert.equal(await memory.keep(digest), false);
  }
});

Deno.test("BundleMemory: the oldest goes when there are too many files", async () => {
  await using tree = await makeTree();
  const memory = memoryIn(tree.root);
  const big = (name: string) => {
    const manifest = new Map<string, string>();
    for (let i = 0; i < 80_000; i++) manifest.set(`${name}${i}`, "1");
    return { manifest, hosts: [], variables: [] };
  };
  for (const name of ["a", "b", "c"]) memory.remember(name, big(name));
  assert.equal(await memory.recall("a"), undefined);
  assert.ok(await memory.recall("b"));
  assert.ok(await memory.recall("c"));
});

Deno.test("Planner: a pinned bundle runs, and a changed one is refused with what changed", async () => {
  await using fixture = await makeFixture({
    files: { "run.mjs": "1", "lib/a.mjs": "1" },
  });
  const { plan } = await prepare(fixture.planner);
  const grant = [{
    skill: "demo",
    script: "run.mjs",
    bundle: plan.bundle.digest,
  }];
  const pinned = fixture.again({ grant });
  await pinned.confirmed((await prepare(pinned)).plan);
  await Deno.writeTextFile(`${fixture.dir}/lib/a.mjs`, "2");
  await Deno.writeTextFile(
    `${fixture.dir}/SKILL.md`,
    skillMd(
      declares("run.mjs", "      env: [TOKEN]\n  egress: [evil.example.org]\n"),
    ),
  );
  // Another server: it has only what the confirmed run left in the cache.
  for (const planner of [pinned, fixture.again({ grant })]) {
    const stale = await planner.prepare(callOf());
    assert.ok(!stale.ok);
    assert.equal(stale.code, "GRANT_STALE");
    assert.match(
      stale.message,
      /changed: SKILL\.md, lib\/a\.mjs; hosts added: evil\.example\.org; variables added: TOKEN$/,
    );
  }
});
