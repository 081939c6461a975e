/** A throw-away directory tree for a test, removed when it goes out of scope. */

import { dirname, join } from "node:path";

/** What one path of the tree holds: text, bytes, a symbolic link, a directory. */
export type Entry = string | Uint8Array | { link: string } | { dir: true };

/** A tree on disk. `root` is absolute and real. */
export interface Tree extends AsyncDisposable {
  readonly root: string;
  /** Absolute path of something below the root. */
  path(...parts: string[]): string;
  /** Adds or replaces entries. */
  write(entries: Record<string, Entry>): Promise<void>;
}

/** Makes a tree from relative path -> entry. Use with `await using`. */
export async function makeTree(
  entries: Record<string, Entry> = {},
): Promise<Tree> {
  const root = await Deno.realPath(
    await Deno.makeTempDir({ prefix: "skillfence-test-" }),
  );
  // Scripts of a root server run as another account, which has to get here.
  if (Deno.build.os !== "windows") await Deno.chmod(root, 0o755);
  const tree: Tree = {
    root,
    path: (...parts) => join(root, ...parts),
    async write(more) {
      for (const [path, entry] of Object.entries(more)) {
        await writeEntry(join(root, path), entry);
      }
    },
    async [Symbol.asyncDispose]() {
      await Deno.remove(root, { recursive: true });
    },
  };
  await tree.write(entries);
  return tree;
}

async function writeEntry(path: string, entry: Entry): Promise<void> {
  await Deno.mkdir(dirname(path), { recursive: true });
  if (typeof entry === "string") await Deno.writeTextFile(path, entry);
  else if (entry instanceof Uint8Array) await Deno.writeFile(path, entry);
  else if ("link" in entry) await Deno.symlink(entry.link, path);
  else await Deno.mkdir(path, { recursive: true });
}
