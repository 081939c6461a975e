/** Random edits of a tree of skills, and how they are made. */

import { dirname, join } from "node:path";
import fc from "fast-check";

/** One thing that is done to the tree; paths are below its root. */
export type Edit =
  | { readonly kind: "write"; readonly path: string; readonly text: string }
  /** By another file that takes its name, as editors save. */
  | { readonly kind: "replace"; readonly path: string; readonly text: string }
  | { readonly kind: "directory"; readonly path: string }
  | { readonly kind: "remove"; readonly path: string }
  | { readonly kind: "move"; readonly path: string; readonly to: string }
  | { readonly kind: "link"; readonly path: string; readonly target: string };

const DIRECTORIES = [
  "a",
  "b",
  "a/in",
  "a/in/deep",
  "a/docs",
  "pre/c",
  "pre",
  "Pre.Fix/d",
  "shared",
  "a/node_modules/m",
];
const NAMES = [
  "x.md",
  "y z#1.md",
  "100%.md",
  "\u{1f600}.md",
  "caf\u00e9.md",
  "cafe\u0301.md",
  ".hidden",
  "run.mjs",
];

const directory = fc.constantFrom(...DIRECTORIES);
const skillDirectory = fc.constantFrom("a", "b", "a/in", "pre/c", "Pre.Fix/d");
const file = fc.tuple(directory, fc.constantFrom(...NAMES))
  .map((parts) => parts.join("/"));
const sharedFile = fc.constantFrom("shared/s.md", "shared/t.md", "a/u.md");
const skillFile = skillDirectory.map((path) => `${path}/SKILL.md`);
const ignoreFile = fc.constantFrom(".gitignore", "a/.gitignore", "pre/.ignore");
const anywhere = fc.oneof(directory, file, skillFile, sharedFile);

const text = fc.oneof(
  fc.constantFrom("", "one\n", "two\n", "\ufefflong\n".repeat(400)),
  fc.string({ maxLength: 8 }),
);
const rules = fc.constantFrom(
  "",
  "x.md\n",
  "*.md\n!SKILL.md\n",
  "in/\n",
  "b\n",
);
const head = fc.constantFrom(
  "",
  "title: A title\n",
  "license: MIT\n",
  "references: [../shared/s.md]\n",
  "references: [../shared/t.md, ../shared/s.md, ../shared/gone.md]\n",
  "references: [../../shared/s.md, ../u.md]\n",
  "metadata: {n: 1}\n",
  "odd: .inf\n",
);

/** SKILL.md of mostly the right name, and of every kind of fault. */
const skill: fc.Arbitrary<Edit> = fc.tuple(
  skillDirectory,
  head,
  fc.constantFrom("right", "right", "right", "other", "none", "broken"),
  fc.constantFrom("write", "replace"),
  fc.constantFrom("Body.\n", "Another body.\n"),
).map(([path, more, kind, how, body]) => {
  const name = kind === "other" ? "other" : path.split("/").at(-1);
  const front = kind === "none"
    ? ""
    : kind === "broken"
    ? "---\nname: [\n---\n"
    : `---\nname: ${name}\ndescription: About ${path}.\n${more}---\n`;
  return { kind: how, path: `${path}/SKILL.md`, text: front + body } as Edit;
});

const edit: fc.Arbitrary<Edit> = fc.oneof(
  { weight: 6, arbitrary: skill },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constantFrom("write" as const, "replace" as const),
      path: fc.oneof(file, sharedFile),
      text,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("write" as const),
      path: ignoreFile,
      text: rules,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("directory" as const),
      path: fc.oneof(directory, file),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("remove" as const),
      path: fc.oneof(anywhere, ignoreFile),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("move" as const),
      path: anywhere,
      to: anywhere,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("link" as const),
      path: anywhere,
      target: fc.oneof(
        anywhere.map((path) => `./${path}`),
        fc.constantFrom(
          "..",
          "../b",
          "../shared/s.md",
          "/etc/hostname",
          "gone",
        ),
      ),
    }),
  },
);

/** A tree to begin with, then what is done to it between two looks. */
export const histories: fc.Arbitrary<readonly (readonly Edit[])[]> = fc.tuple(
  fc.array(fc.oneof({ weight: 2, arbitrary: skill }, edit), {
    minLength: 2,
    maxLength: 12,
  }),
  fc.array(fc.array(edit, { minLength: 1, maxLength: 5 }), {
    minLength: 1,
    maxLength: 4,
  }),
).map(([first, rest]) => [first, ...rest]);

/** Whether it makes a link out of the tree, or to what no scan looks at. */
export function leadsOut(edit: Edit): boolean {
  if (edit.kind !== "link") return false;
  const target = join("/root", dirname(edit.path), edit.target);
  return edit.target.startsWith("/") || !target.startsWith("/root/") ||
    target.includes("node_modules");
}

/** Makes the edits that the tree allows; nothing outside of it is touched. */
export async function make(
  root: string,
  edits: readonly Edit[],
): Promise<void> {
  for (const edit of edits) {
    try {
      await makeOne(root, edit);
    } catch (error) {
      // A file where a directory would be, or nothing where something was.
      if (!(error instanceof Error) || !("code" in error)) throw error;
    }
  }
}

async function makeOne(root: string, edit: Edit): Promise<void> {
  const path = join(root, edit.path);
  if (edit.kind === "remove" || edit.kind === "move") {
    if (!await staysInside(root, dirname(path))) return;
    if (edit.kind === "remove") {
      return await Deno.remove(path, { recursive: true });
    }
  }
  const target = edit.kind === "move" ? join(root, edit.to) : path;
  if (!await staysInside(root, dirname(target))) return;
  await Deno.mkdir(dirname(target), { recursive: true });
  switch (edit.kind) {
    case "write":
      // Through a link, the file behind it would be written.
      if ((await lstat(path))?.isSymlink) return;
      return await Deno.writeTextFile(path, edit.text);
    case "replace": {
      const saved = `${dirname(path)}/.saved`;
      await Deno.writeTextFile(saved, edit.text);
      return await Deno.rename(saved, path);
    }
    case "directory":
      return await Deno.mkdir(path);
    case "move":
      return await Deno.rename(path, target);
    case "link":
      return await Deno.symlink(edit.target, path);
  }
}

/** Whether the nearest existing ancestor of a directory lies in the root. */
async function staysInside(root: string, dir: string): Promise<boolean> {
  for (let at = dir;; at = dirname(at)) {
    if ((await lstat(at)) === undefined) continue;
    const real = await Deno.realPath(at).catch(() => "");
    return real === root || real.startsWith(`${root}/`);
  }
}

async function lstat(path: string): Promise<Deno.FileInfo | undefined> {
  try {
    return await Deno.lstat(path);
  } catch {
    return undefined;
  }
}

/** Empties a directory. */
export async function clear(root: string): Promise<void> {
  for await (const { name } of Deno.readDir(root)) {
    await Deno.remove(join(root, name), { recursive: true });
  }
}
