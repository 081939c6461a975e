/** The configured prompt files, read again only where they have moved. */

import { byCodeUnit } from "../base/order.ts";
import { parse } from "node:path";
import { nameFilter } from "../base/name_filter.ts";
import { joined } from "../base/place.ts";
import { diskFs, type ScanFs, stampOf, whyFailed } from "../catalog/scan_fs.ts";
import { isSettled, sameStamp } from "../catalog/stamps.ts";
import type { FileStamp } from "../catalog/types.ts";
import type { Directory, PromptSource } from "../config/types.ts";
import { Claims } from "./claims.ts";
import { type ParsedPrompt, parsePrompt } from "./parse_prompt.ts";
import {
  PROMPT_LIMITS,
  type PromptFile,
  type PromptLimits,
  type PromptProblem,
  type PromptSnapshot,
} from "./types.ts";

/** What prompts are read with. */
export interface PromptFilesOptions {
  readonly fs?: ScanFs;
  readonly limits?: Partial<PromptLimits>;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

/** One file as it was read, under the stamp it had then. */
interface Reading {
  readonly stamp: FileStamp;
  readonly settled: boolean;
  readonly createdMs: number | null;
  readonly parsed: ParsedPrompt;
}

/** All prompt sources. A snapshot is made on first use and by every rescan. */
export class PromptFiles {
  readonly #sources: readonly PromptSource[];
  readonly #fs: ScanFs;
  readonly #limits: PromptLimits;
  readonly #now: () => number;
  /** By real path and stem; holds what the last scan saw and nothing else. */
  #readings: ReadonlyMap<string, Reading> = new Map();
  #snapshot: PromptSnapshot | undefined;

  constructor(
    sources: readonly PromptSource[],
    options: PromptFilesOptions = {},
  ) {
    this.#sources = sources;
    this.#fs = options.fs ?? diskFs();
    this.#limits = { ...PROMPT_LIMITS, ...options.limits };
    this.#now = options.now ?? Date.now;
  }

  /** The newest snapshot. Never rejects. */
  snapshot(): Promise<PromptSnapshot> {
    return Promise.resolve(this.#snapshot ??= this.#scan());
  }

  /** A snapshot of what is on disk now. Never rejects. */
  rescan(): Promise<PromptSnapshot> {
    return Promise.resolve(this.#snapshot = this.#scan());
  }

  #scan(): PromptSnapshot {
    const claims = new Claims(this.#limits);
    const readings = new Map<string, Reading>();
    for (const source of this.#sources) {
      if (source.kind === "file") this.#file(source.file, claims, readings);
      else this.#directory(source.directory, claims, readings);
    }
    this.#readings = readings;
    return claims.close();
  }

  #file(file: string, claims: Claims, readings: Map<string, Reading>): void {
    let real: string;
    try {
      real = this.#fs.realPath(file);
    } catch (error) {
      claims.tell(file, ".", unreadable(error, "file"));
      return;
    }
    this.#read(real, readings, {
      stem: parse(file).name,
      tell: (remark) => claims.tell(file, ".", remark),
      claim: (prompt) => claims.claim(prompt, file, "."),
    });
  }

  #directory(
    directory: Directory,
    claims: Claims,
    readings: Map<string, Reading>,
  ): void {
    const source = directory.path;
    let real: string;
    let names: readonly string[];
    try {
      real = this.#fs.realPath(source);
      names = this.#names(real, (remark) => claims.tell(source, ".", remark));
    } catch (error) {
      claims.tell(source, ".", unreadable(error, "directory"));
      return;
    }
    const kept = nameFilter(directory);
    for (const name of names) {
      this.#read(joined(real, name), readings, {
        stem: parse(name).name,
        tell: (remark) => claims.tell(source, name, remark),
        claim: (prompt) => {
          if (kept(prompt.name)) claims.claim(prompt, source, name);
        },
      });
    }
  }

  /** `*.md` directly in a directory, not hidden, in code unit order. */
  #names(real: string, tell: Tell): string[] {
    const names: string[] = [];
    let entries = 0;
    for (const { name } of this.#fs.readDir(real)) {
      if (++entries > this.#limits.entries) {
        tell({
          severity: "warning",
          reason: "prompt-limit",
          detail:
            `it holds more than ${this.#limits.entries} entries; the rest is not looked at`,
          hint: "Keep prompts in a directory of their own.",
        });
        break;
      }
      if (name.endsWith(".md") && !name.startsWith(".")) names.push(name);
    }
    return names.sort(byCodeUnit);
  }

  #read(real: string, readings: Map<string, Reading>, to: Taker): void {
    try {
      const stat = this.#fs.lstat(real);
      if (stat.isSymlink) {
        to.tell({
          severity: "note",
          reason: "prompt-link",
          detail:
            "it is a link, and links in a prompt directory are not followed",
          hint: "Name what it leads to with --prompt-file.",
        });
        return;
      }
      if (!stat.isFile) {
        to.tell({
          severity: "warning",
          reason: "prompt-unreadable",
          detail: "it is not a regular file",
          hint: "Name a file of text.",
        });
        return;
      }
      const key = `${real}\0${to.stem}`;
      const before = this.#readings.get(key);
      const reading = before?.settled === true &&
          sameStamp(before.stamp, stampOf(stat))
        ? before
        : this.#parse(real, to.stem);
      readings.set(key, reading);
      for (const remark of reading.parsed.remarks) to.tell(remark);
      const { prompt } = reading.parsed;
      if (prompt === undefined) return;
      const { stamp, createdMs } = reading;
      to.claim({ ...prompt, realPath: real, stamp, createdMs });
    } catch (error) {
      to.tell(unreadable(error, "file"));
    }
  }

  #parse(real: string, stem: string): Reading {
    const { fileBytes } = this.#limits;
    const start = this.#fs.readStart(real, fileBytes);
    const stamp = stampOf(start.stat);
    const remark = {
      severity: "warning",
      reason: "prompt-size",
      detail: `it is longer than ${fileBytes / 1024} KiB`,
      hint: "Make it shorter, or make it a skill with files beside it.",
    } as const;
    return {
      stamp,
      settled: isSettled(stamp, this.#now()),
      createdMs: start.stat.birthtime?.getTime() ?? null,
      parsed: start.truncated
        ? { prompt: undefined, remarks: [remark] }
        : parsePrompt(start.bytes, stem),
    };
  }
}

type Tell = (remark: Omit<PromptProblem, "source" | "path">) => void;

/** What one source does with a file that was read. */
interface Taker {
  readonly stem: string;
  readonly tell: Tell;
  readonly claim: (prompt: PromptFile) => void;
}

function unreadable(
  error: unknown,
  what: "file" | "directory",
): Omit<PromptProblem, "source" | "path"> {
  return {
    severity: "error",
    reason: "prompt-unreadable",
    detail: `the ${what} cannot be read: ${whyFailed(error)}`,
    hint: "Check the path and its permissions.",
  };
}
