import assert from "node:assert/strict";
import { open } from "node:fs/promises";
import type { Result } from "../../src/base/refusal.ts";
import {
  type FileEffects,
  type FileOwner,
  openInSkill,
} from "../../src/catalog/bundle_file.ts";
import { makeTree, type Tree } from "../support/tree.ts";
import { scanOne, skill, skillMd } from "./support.ts";

/** A skill `a` beside a neighbour and a secret. */
function bundle(): Promise<Tree> {
  return makeTree({
    "secret.txt": "secret",
    "root/neighbour/SKILL.md": skillMd("neighbour"),
    "root/a/SKILL.md": skillMd("a"),
    "root/a/scripts/run.js": "0123456789",
    "root/a/link.js": { link: "scripts/run.js" },
    "root/a/code": { link: "scripts" },
    "root/a/out-absolute": { link: "/etc/passwd" },
    "root/a/out": { link: "../../secret.txt" },
    "root/a/out-dir": { link: "../neighbour" },
    "root/a/.env": "KEY=1",
    "root/a/env.txt": { link: ".env" },
    "root/a/ignored.log": "",
    "root/a/.gitignore": "*.log\n",
    "root/a/broken": { link: "nowhere" },
  });
}

async function ownerIn(tree: Tree) {
  return skill(await scanOne(tree.path("root")), "a");
}

/** What is opened of a skill, closed again, or why nothing is. */
async function opened(
  owner: FileOwner,
  path: string,
): Promise<Result<{ realPath: string; size: number }>> {
  const result = await openInSkill(owner, path);
  if (!result.ok) return result;
  await using file = result.value;
  return { ok: true, value: { realPath: file.realPath, size: file.size } };
}

function refused(result: Result<unknown>, code: string): string {
  assert.equal(result.ok, false);
  if (result.ok) throw new Error("unreachable");
  assert.equal(result.code, code, result.message);
  return `${result.message} ${result.hint}`;
}

Deno.test("openInSkill: ordinary files, file links and linked directories lead to the real path", async () => {
  await using tree = await bundle();
  const a = await ownerIn(tree);
  for (const path of ["scripts/run.js", "link.js", "code/run.js"]) {
    assert.deepEqual(await opened(a, path), {
      ok: true,
      value: { realPath: tree.path("root/a/scripts/run.js"), size: 10 },
    });
  }
});

for (
  const path of [
    "/etc/passwd",
    "../outside.txt",
    "scripts/../../outside.txt",
    "./scripts/run.js",
    "scripts//run.js",
    "",
    "scripts\\run.js",
    "C:\\windows\\system32",
    "%2e%2e/outside.txt",
    "scripts/run.js\0",
    "  ",
    "scripts/",
  ]
) {
  Deno.test(`openInSkill: refuses ${JSON.stringify(path)} before it looks at the disk`, async () => {
    const nowhere = { dir: "/nowhere/at/all", name: "a", files: [] };
    refused(await opened(nowhere, path), "PATH_REFUSED");
    refused(await openInSkill(nowhere, path), "PATH_REFUSED");
  });
}

Deno.test("openInSkill: refuses what leads out, without saying where to", async () => {
  await using tree = await bundle();
  const a = await ownerIn(tree);
  for (const path of ["out-absolute", "out", "out-dir/SKILL.md"]) {
    const said = refused(await opened(a, path), "PATH_REFUSED");
    assert.match(said, /outside the skill/);
    assert.ok(!said.includes(tree.root) && !said.includes("/etc"));
    refused(await openInSkill(a, path), "PATH_REFUSED");
  }
});

Deno.test("openInSkill: a neighbour whose name starts alike is outside", async () => {
  await using tree = await makeTree({
    "a/SKILL.md": skillMd("a"),
    "ab/SKILL.md": skillMd("ab"),
    "a/x": { link: "../ab/SKILL.md" },
  });
  const a = skill(await scanOne(tree.root), "a");
  refused(await opened(a, "x"), "PATH_REFUSED");
});

Deno.test("openInSkill: a directory is no file", async () => {
  await using tree = await bundle();
  const a = await ownerIn(tree);
  refused(await opened(a, "scripts"), "PATH_REFUSED");
  refused(await opened(a, "code"), "PATH_REFUSED");
});

Deno.test("openInSkill: what is missing, hidden or ignored is not served, by any way", async () => {
  await using tree = await bundle();
  const a = await ownerIn(tree);
  for (
    const path of [
      "scripts/rum.js",
      "scripts/run.js/x",
      ".env",
      "env.txt",
      "ignored.log",
      "broken",
    ]
  ) {
    const said = refused(await opened(a, path), "NOT_FOUND");
    assert.match(said, /is not a served file of a/);
    assert.ok(!said.includes(tree.root));
  }
  assert.match(
    refused(await opened(a, "scripts/rum.js"), "NOT_FOUND"),
    /Did you mean scripts\/run\.js/,
  );
});

Deno.test("openInSkill: a listed path that came to lead to a hidden file is refused", async () => {
  await using tree = await bundle();
  const a = await ownerIn(tree);
  await Deno.remove(tree.path("root/a/link.js"));
  await Deno.symlink(".env", tree.path("root/a/link.js"));
  refused(await opened(a, "link.js"), "NOT_FOUND");
  await Deno.remove(tree.path("root/a/link.js"));
  await Deno.symlink("../../secret.txt", tree.path("root/a/link.js"));
  refused(await opened(a, "link.js"), "PATH_REFUSED");
});

Deno.test("openInSkill: a skill directory replaced by a link out is refused", async () => {
  await using tree = await bundle();
  const a = await ownerIn(tree);
  await Deno.remove(tree.path("root/a"), { recursive: true });
  await tree.write({ "elsewhere/SKILL.md": "x" });
  await Deno.symlink(tree.path("elsewhere"), tree.path("root/a"));
  refused(await opened(a, "SKILL.md"), "PATH_REFUSED");
});

Deno.test("openInSkill: reads ranges of the file that was judged", async () => {
  await using tree = await bundle();
  const opened = await openInSkill(await ownerIn(tree), "link.js");
  if (!opened.ok) throw new Error(opened.message);
  await using file = opened.value;
  const text = async (offset: number, limit: number) =>
    new TextDecoder().decode(await file.read(offset, limit));
  assert.equal(file.size, 10);
  assert.equal(file.realPath, tree.path("root/a/scripts/run.js"));
  assert.equal(await text(0, 100), "0123456789");
  assert.equal(await text(3, 4), "3456");
  assert.equal(await text(10, 4), "");
  assert.equal(await text(99, 4), "");
});

Deno.test("openInSkill: a huge limit allocates no more than the file", async () => {
  await using tree = await bundle();
  const opened = await openInSkill(await ownerIn(tree), "scripts/run.js");
  if (!opened.ok) throw new Error(opened.message);
  await using file = opened.value;
  const bytes = await file.read(0, Number.MAX_SAFE_INTEGER);
  assert.equal(bytes.buffer.byteLength, 10);
});

Deno.test("openInSkill: a file replaced while it is open is still the one judged", async () => {
  await using tree = await bundle();
  const opened = await openInSkill(await ownerIn(tree), "scripts/run.js");
  if (!opened.ok) throw new Error(opened.message);
  await using file = opened.value;
  await Deno.remove(tree.path("root/a/scripts/run.js"));
  await Deno.symlink(
    tree.path("secret.txt"),
    tree.path("root/a/scripts/run.js"),
  );
  assert.equal(new TextDecoder().decode(await file.read(0, 4)), "0123");
});

/** The disk, with something happening around the calls that open a file. */
function racing(
  hooks: Partial<
    Record<"beforeLstat" | "beforeOpen" | "afterOpen", () => void>
  >,
): FileEffects {
  const once = new Set<string>();
  const happen = (name: keyof typeof hooks) => {
    if (!once.has(name)) hooks[name]?.();
    once.add(name);
  };
  return {
    realPath: Deno.realPath,
    lstat(path) {
      happen("beforeLstat");
      return Deno.lstat(path);
    },
    async open(path, flags) {
      happen("beforeOpen");
      const handle = await open(path, flags);
      happen("afterOpen");
      return handle;
    },
  };
}

Deno.test("openInSkill: a file exchanged between judging and opening is refused", async () => {
  await using tree = await bundle();
  const a = await ownerIn(tree);
  const effects = racing({
    beforeOpen: () =>
      Deno.renameSync(
        tree.path("secret.txt"),
        tree.path("root/a/scripts/run.js"),
      ),
  });
  const opened = await openInSkill(a, "scripts/run.js", effects);
  assert.match(refused(opened, "NOT_FOUND"), /changed while it was opened/);
  const again = await openInSkill(a, "scripts/run.js");
  assert.equal(again.ok, true);
  if (again.ok) await again.value[Symbol.asyncDispose]();
});

Deno.test("openInSkill: a link put in the file's place before opening is refused", async () => {
  await using tree = await bundle();
  const effects = racing({
    beforeOpen: () => {
      Deno.removeSync(tree.path("root/a/scripts/run.js"));
      Deno.symlinkSync(
        tree.path("secret.txt"),
        tree.path("root/a/scripts/run.js"),
      );
    },
  });
  const a = await ownerIn(tree);
  const opened = await openInSkill(a, "scripts/run.js", effects);
  assert.equal(opened.ok, false);
});

Deno.test("openInSkill: a directory exchanged while judging and put back after opening is refused", async () => {
  await using tree = await bundle();
  await tree.write({ "trap/run.js": "secret" });
  const scripts = tree.path("root/a/scripts");
  const effects = racing({
    beforeLstat: () => {
      Deno.renameSync(scripts, tree.path("aside"));
      Deno.symlinkSync(tree.path("trap"), scripts);
    },
    afterOpen: () => {
      Deno.removeSync(scripts);
      Deno.renameSync(tree.path("aside"), scripts);
    },
  });
  const a = await ownerIn(tree);
  const opened = await openInSkill(a, "scripts/run.js", effects);
  assert.match(refused(opened, "NOT_FOUND"), /changed while it was opened/);
});

Deno.test("openInSkill: swapped all the time, it gives the skill's bytes or refuses, never the secret", async () => {
  await using tree = await bundle();
  const a = await ownerIn(tree);
  const target = tree.path("root/a/scripts");
  const aside = tree.path("aside");
  await tree.write({ "trap/run.js": "secret" });
  let stop = false;
  const swapping = (async () => {
    while (!stop) {
      await Deno.rename(target, aside);
      await Deno.symlink(tree.path("trap"), target);
      await Deno.remove(target);
      await Deno.rename(aside, target);
    }
  })();
  let served = 0;
  for (let i = 0; i < 300; i++) {
    const opened = await openInSkill(a, "scripts/run.js");
    if (!opened.ok) continue;
    await using file = opened.value;
    served += 1;
    assert.equal(
      new TextDecoder().decode(await file.read(0, 10)),
      "0123456789",
    );
  }
  stop = true;
  await swapping;
  const after = await openInSkill(a, "scripts/run.js");
  assert.equal(after.ok, true, `served ${served} times while swapped`);
  if (after.ok) await after.value[Symbol.asyncDispose]();
});
