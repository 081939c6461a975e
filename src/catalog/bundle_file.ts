/**
 * From a path that a caller names to a file of one skill: the string rule, the
 * real path, then the list of what is served. Nothing that is refused says
 * where on the machine a skill lies.
 */

import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { fill } from "../base/bounded_read.ts";
import { nearest } from "../base/nearest.ts";
import { ok, refuse, type Result } from "../base/refusal.ts";
import { visible } from "../base/text.ts";
import { checkPath } from "../skill/paths.ts";
import type { FileLook } from "./file_digests.ts";
import { below, isWithin, joined, SEPARATOR } from "../base/place.ts";
import type { BundleFile, Skill } from "./types.ts";

/** What is asked of a skill here. */
export type FileOwner = Pick<Skill, "dir" | "name" | "files">;

/** An open served file. Dispose of it. */
export interface OpenFile extends AsyncDisposable {
  /** Real absolute path; for the server alone. */
  readonly realPath: string;
  /** Bytes, when it was opened. */
  readonly size: number;
  /** What it was when it was opened. */
  readonly look: FileLook;
  /** Up to `limit` bytes from `offset`; fewer only where the file ends. */
  read(offset: number, limit: number): Promise<Uint8Array<ArrayBuffer>>;
}

/** The calls that opening a file makes; a test puts a race between them. */
export interface FileEffects {
  readonly realPath: (path: string) => Promise<string>;
  readonly lstat: (path: string) => Promise<Deno.FileInfo>;
  readonly open: (path: string, flags: number) => Promise<FileHandle>;
}

const DISK: FileEffects = {
  realPath: Deno.realPath,
  lstat: Deno.lstat,
  open,
};

/** A served file as it was when it was looked at. */
interface Judged {
  readonly realPath: string;
  readonly dev: number;
  readonly ino: number | null;
}

/**
 * Judges `path`, relative to the skill, and opens it. A link counts as what it
 * leads to. The file that is open is the one that was judged, by device and
 * inode, and `path` still leads to it. Refuses with `PATH_REFUSED` what is no
 * plain path, leaves the skill or is no regular file, and with `NOT_FOUND` what
 * is missing or not served.
 */
export async function openInSkill(
  skill: FileOwner,
  path: string,
  effects: FileEffects = DISK,
): Promise<Result<OpenFile>> {
  const judged = await judge(skill, path, effects);
  if (!judged.ok) return judged;
  const { realPath } = judged.value;
  let handle: FileHandle | undefined;
  try {
    handle = await effects.open(
      realPath,
      constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) |
        // Somebody may have put a pipe there, which would wait for a writer.
        (constants.O_NONBLOCK ?? 0),
    );
    const opened = await handle.stat();
    const again = await judge(skill, path, effects);
    if (
      !opened.isFile() || !again.ok ||
      !isSame(opened, judged.value) || !isSame(opened, again.value)
    ) {
      await handle.close();
      return refuse(
        "NOT_FOUND",
        `"${visible(path)}" changed while it was opened`,
        "Ask again.",
      );
    }
    return ok(openFile(handle, realPath, opened));
  } catch (error) {
    await handle?.close();
    return unreadable(path, error);
  }
}

async function judge(
  skill: FileOwner,
  path: string,
  effects: FileEffects,
): Promise<Result<Judged>> {
  const checked = checkPath(path);
  if (!checked.ok) return checked;
  let realPath: string;
  let stat: Deno.FileInfo;
  try {
    realPath = await effects.realPath(
      joined(skill.dir, path.split("/").join(SEPARATOR)),
    );
    if (!isWithin(realPath, skill.dir)) return escapes(path);
    stat = await effects.lstat(realPath);
  } catch (error) {
    return error instanceof Deno.errors.NotFound ||
        error instanceof Deno.errors.NotADirectory
      ? missing(skill, path)
      : unreadable(path, error);
  }
  if (!stat.isFile) {
    return refuse(
      "PATH_REFUSED",
      `"${visible(path)}" is not a regular file`,
      stat.isDirectory ? "Name a file in it." : "Name a regular file.",
    );
  }
  // One list says what is served, so a link opens no door to a hidden file.
  if (listedFile(skill, below(realPath, skill.dir)) === undefined) {
    return missing(skill, path);
  }
  return ok({ realPath, dev: stat.dev, ino: stat.ino });
}

/** The file at `path` in a skill's list, which is in path order; by halving. */
export function listedFile(
  { files }: Pick<Skill, "files">,
  path: string,
): BundleFile | undefined {
  let low = 0;
  let high = files.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (files[middle]!.path < path) low = middle + 1;
    else high = middle;
  }
  const found = files[low];
  return found?.path === path ? found : undefined;
}

function isSame(
  a: { dev: number; ino: number },
  b: { dev: number; ino: number | null },
): boolean {
  return a.dev === b.dev && (b.ino === null || a.ino === b.ino);
}

function openFile(
  handle: FileHandle,
  realPath: string,
  look: FileLook,
): OpenFile {
  const { size } = look;
  return {
    realPath,
    size,
    look,
    async read(offset, limit) {
      const room = Math.max(0, Math.min(limit, size - offset));
      const buffer = new Uint8Array(room);
      return buffer.subarray(0, await fill(buffer, handle, offset));
    },
    async [Symbol.asyncDispose]() {
      await handle.close();
    },
  };
}

function escapes(path: string): Result<never> {
  return refuse(
    "PATH_REFUSED",
    `"${visible(path)}" leads outside the skill's own directory`,
    "Only files inside the skill are served.",
  );
}

function missing(skill: FileOwner, path: string): Result<never> {
  const near = nearest(path, skill.files.map((file) => file.path));
  return refuse(
    "NOT_FOUND",
    `"${visible(path)}" is not a served file of ${skill.name}`,
    (near.length === 0
      ? ""
      : `Did you mean ${near.map((each) => visible(each)).join(", ")}? `) +
      "skill_load lists the files; hidden and ignored ones are left out, and a file added since the last scan appears after skill_list with reload: true.",
  );
}

function unreadable(path: string, error: unknown): Result<never> {
  const denied = error instanceof Deno.errors.PermissionDenied ||
    (error as { code?: unknown } | null)?.code === "EACCES";
  return refuse(
    "PATH_REFUSED",
    `"${visible(path)}" cannot be read${denied ? ": permission denied" : ""}`,
    "Make it readable by the server's user.",
  );
}
