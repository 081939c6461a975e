/**
 * Shared files: what a skill may refer to outside its bundle. After following
 * links it must be a regular UTF-8 file of the same root that is small, not
 * hidden, and not inside any skill; else a stranger's skill could show any file
 * of the machine.
 */

import { counted, visible } from "../base/text.ts";
import { type ScanLimits } from "./limits.ts";
import { below, isWithin, joined, SEPARATOR } from "../base/place.ts";
import type { ProblemLog } from "./problem_log.ts";
import { stemOf } from "./reference_path.ts";
import { type ScanFs, stampOf, whyFailed } from "./scan_fs.ts";
import { readSharedText, type SharedText } from "./shared_text.ts";
import type { StampedMemory } from "./stamped_memory.ts";
import type { FileStamp, SharedFile } from "./types.ts";
import type { RootFindings } from "./walk_types.ts";

/** A walked root. */
export interface Ground {
  readonly root: number;
  readonly rootDir: string;
  /** Real path of the workspace it is a folder of. */
  readonly workspace?: string | undefined;
  readonly findings: Pick<RootFindings, "claims" | "hiding" | "open">;
}

/** A shared file, read. */
export interface SharedReading {
  readonly stamp: FileStamp;
  readonly createdMs: number | null;
  readonly text: SharedText;
}

/** What a path below a root leads to. */
export type Looked =
  | {
    readonly kind: "file";
    readonly file: Cited;
    /** No link lies on the way. */
    readonly straight: boolean;
  }
  /** In the directory of a skill; whose is for the caller to say. */
  | { readonly kind: "bundled"; readonly rel: string; readonly real: string }
  | Refused
  | Missing;

interface Refused {
  readonly kind: "refused";
  readonly why: string;
}

interface Missing {
  readonly kind: "missing";
  readonly why: string;
}

/** A shared file while its citers are being found. */
export interface Cited extends Omit<SharedFile, "citedBy"> {
  readonly citers: Set<string>;
}

/** What finding shared files asks, tells and obeys. */
export interface SharedContext {
  readonly fs: ScanFs;
  readonly limits: ScanLimits;
  readonly log: ProblemLog;
  readonly memory: StampedMemory<SharedReading>;
}

/** Finds shared files during one scan, each once. */
export class SharedFiles {
  readonly #context: SharedContext;
  readonly #looked = new Map<string, Looked>();
  readonly #cited = new Map<string, Cited>();

  constructor(context: SharedContext) {
    this.#context = context;
  }

  /** Every file found so far, by id. */
  get cited(): ReadonlyMap<string, Cited> {
    return this.#cited;
  }

  /** Looks at `rel`, below the root and past the string rule. */
  look(rel: string, ground: Ground): Looked {
    const key = `${ground.root}:${rel}`;
    const known = this.#looked.get(key);
    if (known !== undefined) return known;
    const looked = this.#look(rel, ground);
    this.#looked.set(key, looked);
    return looked;
  }

  /** As a file that a skill may have, whoever's directory it lies in. */
  own(rel: string, real: string, ground: Ground): Looked {
    return this.#file(rel, real, false, ground);
  }

  #look(rel: string, ground: Ground): Looked {
    const { rootDir, findings } = ground;
    const abs = joined(rootDir, rel.split("/").join(SEPARATOR));
    let real: string;
    try {
      real = this.#context.fs.realPath(abs);
    } catch (error) {
      return { kind: "missing", why: whyFailed(error) };
    }
    if (!isWithin(real, rootDir) || real === rootDir) {
      return refused("it is a link that leads out of the root");
    }
    const path = below(real, rootDir);
    const hidden = findings.hiding.why(path, false) ??
      (path === rel ? undefined : findings.hiding.why(rel, false));
    if (hidden !== undefined) {
      return refused(`it is not served: ${visible(hidden)}`);
    }
    const folder = path.slice(0, Math.max(0, path.lastIndexOf("/")));
    if (isClaimed(folder, findings.claims)) {
      return { kind: "bundled", rel: path, real };
    }
    if (!findings.open.has(folder)) {
      return refused("its directory was not looked at");
    }
    return this.#file(path, real, real === abs, ground);
  }

  #file(path: string, real: string, straight: boolean, at: Ground): Looked {
    const { limits, log } = this.#context;
    const id = `${at.root + 1}:${path}`;
    const known = this.#cited.get(id);
    if (known !== undefined) return { kind: "file", file: known, straight };
    if (this.#cited.size >= limits.shared) {
      return refused(
        `there are more than ${counted(limits.shared)} shared files`,
      );
    }
    const read = this.#read(real);
    if ("why" in read) return read;
    const { stamp, createdMs, text } = read;
    if (text.finding !== undefined) {
      log.add({ ...text.finding, root: at.root, path });
    }
    const file: Cited = {
      id,
      rootIndex: at.root,
      path,
      realPath: real,
      ...stamp,
      createdMs,
      name: text.name ?? stemOf(path),
      metadata: text.metadata,
      citers: new Set(),
    };
    this.#cited.set(id, file);
    return { kind: "file", file, straight };
  }

  #read(real: string) {
    const { fs, limits, memory } = this.#context;
    try {
      const stat = fs.lstat(real);
      if (!stat.isFile) return refused("it is not a regular file");
      if (stat.size > limits.sharedBytes) return tooLarge(limits);
      const known = memory.get(real, stampOf(stat));
      if (known !== undefined) return known;
      const start = fs.readStart(real, limits.sharedBytes);
      if (start.truncated) return tooLarge(limits);
      // Somebody may have put a link on the way since it was resolved.
      if (fs.realPath(real) !== real || start.stat.ino !== stat.ino) {
        return missing("it changed while it was read");
      }
      const text = readSharedText(start.bytes);
      if (text === undefined) return refused("it is not UTF-8");
      return memory.keep(real, {
        stamp: stampOf(start.stat),
        createdMs: start.stat.birthtime?.getTime() ?? null,
        text,
      });
    } catch (error) {
      return missing(whyFailed(error));
    }
  }
}

/** Whether a directory below the root is, or lies in, one with a SKILL.md. */
export function isClaimed(rel: string, claims: ReadonlySet<string>): boolean {
  for (let path = rel;; path = path.slice(0, path.lastIndexOf("/"))) {
    if (claims.has(path)) return true;
    if (!path.includes("/")) return path !== "" && claims.has("");
  }
}

function refused(why: string): Refused {
  return { kind: "refused", why };
}

function missing(why: string): Missing {
  return { kind: "missing", why };
}

function tooLarge(limits: ScanLimits): Refused {
  return refused(
    `it is larger than ${counted(limits.sharedBytes / 1024)} KiB`,
  );
}
