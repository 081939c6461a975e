/**
 * The runtime's own record of a run: the file that Deno writes where
 * `DENO_AUDIT_PERMISSIONS` says, one JSON line for each permission it checked,
 * without the outcome. What stands in its values is the script's text.
 */

import { type LineLimits, readLines } from "./file_lines.ts";

/** Kinds of access, in the words of the runtime. */
export const KINDS = [
  "read",
  "write",
  "net",
  "env",
  "sys",
  "run",
  "ffi",
  "import",
] as const;

/** One of them. */
export type Kind = (typeof KINDS)[number];

/** How often each value was asked for; undefined stands for all of them. */
export type Tally = ReadonlyMap<string | undefined, number>;

/** A record, folded. */
export interface AuditRecord {
  readonly checks: Readonly<Record<Kind, Tally>>;
  /** What came later is missing: the file, or what we read of it, was full. */
  readonly truncated: boolean;
  /** Lines that say nothing. */
  readonly unreadable: number;
  /** There was no file, or it could not be read. */
  readonly missing: boolean;
}

/** How a record is read. */
export interface AuditReading {
  /** Absolute real path of the script. */
  readonly script: string;
  /** The script is the process's main module, not a worker's. */
  readonly direct: boolean;
  /** Bytes beyond which the process could not write the file. */
  readonly fileLimit?: number;
}

/** Bytes of the file that are looked at: about 50,000 checks. */
export const MAX_AUDIT_BYTES: number = 4 * 1024 * 1024;
/** Longer than any path the kernel takes, escaped. */
const MAX_LINE = 64 * 1024;
const LIMITS: LineLimits = {
  maxBytes: MAX_AUDIT_BYTES,
  maxLine: MAX_LINE,
  followLink: false,
};

/** Reads at most `MAX_AUDIT_BYTES` of the file. Never throws. */
export async function readAuditRecord(
  path: string,
  reading: AuditReading,
): Promise<AuditRecord> {
  const folding = new Folding(reading);
  const read = await readLines(path, LIMITS, (line) => folding.line(line));
  if (!read.ok) {
    return { ...folding.record(), truncated: false, missing: true };
  }
  const { bytes, more, cut, tooLong } = read.value;
  const record = folding.record();
  return {
    ...record,
    // The runtime writes whole lines: one without an end met a full file.
    truncated: more || cut || bytes >= (reading.fileLimit ?? Infinity),
    unreadable: record.unreadable + tooLong,
  };
}

/** What a line of the runtime begins with; its rest says what was asked for. */
const TIME = /^\{"v":1,"datetime":"[0-9TZ:.+-]{1,40}",/;
/** Rests of lines that are remembered while one record is read. */
const MAX_KNOWN = 1024;

/** Counts what is asked for, less what the runtime asks for at its own start. */
class Folding {
  readonly #script: string;
  readonly #tallies: Record<Kind, Map<string | undefined, number>>;
  /** What lines say that differ in nothing but their time, by the rest. */
  readonly #known = new Map<string, Check>();
  /** Checks of the script's own file that are still the runtime's. */
  #loads: number;
  #unreadable = 0;

  constructor({ script, direct }: AuditReading) {
    this.#script = script;
    // A worker's main module is checked twice; a process's is not checked.
    this.#loads = direct ? 0 : 2;
    this.#tallies = {
      read: new Map(),
      write: new Map(),
      net: new Map(),
      env: new Map(),
      sys: new Map(),
      run: new Map(),
      ffi: new Map(),
      import: new Map(),
    };
  }

  line(line: string): void {
    const check = this.#check(line);
    if (check === undefined) {
      this.#unreadable++;
      return;
    }
    const { kind, value } = check;
    if (this.#isStart(kind, value)) return;
    // What Node's child_process asks for, whatever the script wants.
    if (kind === "env" && value === "NODE_V8_COVERAGE") return;
    const tally = this.#tallies[kind];
    tally.set(value, (tally.get(value) ?? 0) + 1);
  }

  /** A script that asks a thousand times mostly asks for the same. */
  #check(line: string): Check | undefined {
    const time = TIME.exec(line)?.[0];
    if (time === undefined) return checkOf(line);
    const rest = line.slice(time.length);
    const known = this.#known.get(rest);
    if (known !== undefined) return known;
    const check = checkOf(line);
    if (check !== undefined && this.#known.size < MAX_KNOWN) {
      this.#known.set(rest, check);
    }
    return check;
  }

  /** A new worker is handed a copy of every variable before it loads a file. */
  #isStart(kind: Kind, value: string | undefined): boolean {
    if (this.#loads === 0) return false;
    if (kind === "read" && value === this.#script) {
      this.#loads--;
      return true;
    }
    return kind === "env" && this.#loads === 2;
  }

  record(): AuditRecord {
    return {
      checks: this.#tallies,
      truncated: false,
      unreadable: this.#unreadable,
      missing: false,
    };
  }
}

/** What one line says. */
interface Check {
  readonly kind: Kind;
  readonly value: string | undefined;
}

function checkOf(line: string): Check | undefined {
  try {
    const parsed: unknown = JSON.parse(line);
    if (typeof parsed !== "object" || parsed === null) return undefined;
    const { v, permission, value } = parsed as Record<string, unknown>;
    const kind = KINDS.find((each) => each === permission);
    if (v !== 1 || kind === undefined) return undefined;
    if (value === null) return { kind, value: undefined };
    return typeof value === "string" ? { kind, value } : undefined;
  } catch {
    return undefined;
  }
}
