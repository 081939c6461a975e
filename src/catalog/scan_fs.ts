/**
 * The file system as a scan sees it. Synchronous on purpose: under lite-mode
 * an asynchronous call costs two to three times its work, and the scan pauses
 * between directories instead (`base/pacer.ts`).
 */

import { visible } from "../base/text.ts";
import type { FileStamp } from "./types.ts";

/** What `lstat` and `stat` tell; further down what not every file system has. */
export type ScanStat =
  & Pick<
    Deno.FileInfo,
    | "isFile"
    | "isDirectory"
    | "isSymlink"
    | "size"
    | "mtime"
    | "ctime"
    | "birthtime"
    | "ino"
  >
  & Partial<Pick<Deno.FileInfo, "dev" | "nlink" | "uid">>;

/** What of it tells whether a file has moved. */
export function stampOf(stat: ScanStat): FileStamp {
  return {
    size: stat.size,
    modifiedMs: stat.mtime?.getTime() ?? null,
    changedMs: stat.ctime?.getTime() ?? null,
    ino: stat.ino,
  };
}

/** The first bytes of a file. */
export interface FileStart {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The file goes on after `bytes`. */
  readonly truncated: boolean;
  /** Of the open file, before it was read. */
  readonly stat: ScanStat;
}

/** What a scan asks of the file system. Each call throws as Deno's do. */
export interface ScanFs {
  readDir(path: string): Iterable<Deno.DirEntry>;
  lstat(path: string): ScanStat;
  stat(path: string): ScanStat;
  realPath(path: string): string;
  readLink(path: string): string;
  /** At most `cap` bytes of a regular file; never allocates for the rest. */
  readStart(path: string, cap: number): FileStart;
}

const NOT_A_FILE = "it is not a regular file";

/** The real one. */
export function diskFs(): ScanFs {
  let buffer = new Uint8Array(0);
  return {
    readDir: Deno.readDirSync,
    lstat: Deno.lstatSync,
    stat: Deno.statSync,
    realPath: Deno.realPathSync,
    readLink: Deno.readLinkSync,
    readStart(path, cap) {
      // One byte more than the cap tells a longer file; one buffer serves all.
      if (buffer.length < cap + 1) buffer = new Uint8Array(cap + 1);
      // A pipe put in the file's place would hold up the server until somebody
      // writes to it, and this open knows no flag against waiting.
      if (!Deno.lstatSync(path).isFile) throw new TypeError(NOT_A_FILE);
      using file = Deno.openSync(path, { read: true });
      const stat = file.statSync();
      if (!stat.isFile) throw new TypeError(NOT_A_FILE);
      let length = 0;
      while (length <= cap) {
        const read = file.readSync(buffer.subarray(length, cap + 1));
        if (read === null) break;
        length += read;
      }
      return {
        bytes: buffer.slice(0, Math.min(length, cap)),
        truncated: length > cap,
        stat,
      };
    },
  };
}

/**
 * What a link says, quoted for a message. Its own text is the skill's content;
 * the real path it leads to would tell about the machine.
 */
export function linkText(fs: ScanFs, path: string): string {
  try {
    return `"${visible(fs.readLink(path))}"`;
  } catch {
    return "a place that cannot be read";
  }
}

/** Why a call failed, in words that hold no path. */
export function whyFailed(error: unknown): string {
  if (error instanceof Deno.errors.PermissionDenied) return "permission denied";
  if (error instanceof Deno.errors.NotFound) return "it is not there";
  const code = (error as { code?: unknown } | null)?.code;
  if (code === "ELOOP") return "its links go in a circle";
  if (error instanceof TypeError) return error.message;
  return typeof code === "string" ? code : "the file system refused";
}
