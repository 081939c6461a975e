/** One context file, read, or why it does not count. */

import { ok, type Refusal, refuse, type Result } from "../../base/refusal.ts";
import { isWithin } from "../../base/place.ts";
import { decodeUtf8 } from "../../base/utf8.ts";
import {
  type ScanFs,
  type ScanStat,
  whyFailed,
} from "../../catalog/scan_fs.ts";

/** Bytes of a context file. */
export const MAX_BYTES: number = 64 * 1024;

/** A file that counts. */
export interface ReadFile {
  /** Absolute real path, inside the workspace. */
  readonly realPath: string;
  /** The same for every link to one file, symbolic or hard. */
  readonly identity: string;
  readonly text: string;
}

/**
 * Reads `abs` if its real path is a regular file inside the workspace (a real
 * path itself), UTF-8 and at most `MAX_BYTES` long; else the refusal's message
 * says why not, without a path of this machine.
 */
export function readContextFile(
  abs: string,
  workspace: string,
  fs: ScanFs,
): Result<ReadFile> {
  try {
    const realPath = fs.realPath(abs);
    if (!isWithin(realPath, workspace)) {
      return no("it leads out of the workspace");
    }
    const stat = fs.lstat(realPath);
    if (stat.isDirectory) return no("it is a directory");
    if (!stat.isFile) return no("it is not a regular file");
    if (isSomebodyElses(stat, fs.stat(workspace))) {
      return no("it is a hard link to a file of another account");
    }
    if (stat.size > MAX_BYTES) return tooLong();
    const start = fs.readStart(realPath, MAX_BYTES);
    // Both may have been replaced while they were looked at.
    const { ino, dev } = start.stat;
    if (
      ino !== stat.ino || dev !== stat.dev || fs.realPath(abs) !== realPath
    ) {
      return no("it was replaced while it was read");
    }
    if (start.truncated) return tooLong();
    const { text, invalidAt } = decodeUtf8(start.bytes);
    if (invalidAt !== undefined) {
      return no(`it is not UTF-8 (byte ${invalidAt})`);
    }
    const identity = stat.ino === null || stat.ino === 0
      ? realPath
      : [stat.dev, stat.ino].join(" ");
    return ok({ realPath, identity, text });
  } catch (error) {
    return no(whyFailed(error));
  }
}

/**
 * A name beside others of a file that the workspace's owner does not own: where
 * we may read more than they may, such a name would lend them our eyes.
 */
function isSomebodyElses(file: ScanStat, workspace: ScanStat): boolean {
  return (file.nlink ?? 1) > 1 && file.uid !== workspace.uid;
}

function tooLong(): Refusal {
  return no(`it is longer than ${MAX_BYTES / 1024} KiB`);
}

function no(why: string): Refusal {
  return refuse("PATH_REFUSED", why, "");
}
