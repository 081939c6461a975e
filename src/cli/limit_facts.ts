/** The limits that are in force, in words. */

import { counted } from "../base/text.ts";
import { DEFAULT_LIMITS } from "../catalog/limits.ts";
import { limitsText } from "../config/limits.ts";
import { KEPT_OF_STREAM } from "../fence/capture.ts";
import {
  MAX_ARG_BYTES,
  MAX_ARGS,
  MAX_INPUT_BYTES,
} from "../fence/check_call.ts";
import { OUTPUT_LIMITS } from "../fence/outputs.ts";
import { BUNDLE_LIMITS } from "../fence/preflight.ts";
import { MAX_WAIT_MS, MAX_WAITING } from "../fence/queue.ts";
import { DEFAULT_TIMEOUT_MS, MAX_TIMEOUT_MS } from "../skill/script_entry.ts";
import type { Engine } from "../server/engine_types.ts";

/** One limit, in words. */
export interface LimitFact {
  readonly what: string;
  readonly value: string;
}

/** All of them, in the order in which they are met. */
export function limitFacts({ config }: Engine): LimitFact[] {
  const { files, directories, depth, skillFileBytes } = DEFAULT_LIMITS;
  const mebi = (bytes: number) => `${bytes / 1024 / 1024} MiB`;
  return [
    { what: "skills served", value: String(config.maxSkills) },
    {
      what: "of one skill",
      value: `${files} files, ${directories} directories, depth ${depth}, ` +
        `SKILL.md ${skillFileBytes / 1024} KiB`,
    },
    {
      what: "runs at once",
      value: `${config.maxRuns}; ${MAX_WAITING} wait up to ${
        MAX_WAIT_MS / 1000
      } s`,
    },
    {
      what: "a run",
      value: `${DEFAULT_TIMEOUT_MS / 1000} s unless declared, at most ${
        MAX_TIMEOUT_MS / 1000
      } s`,
    },
    {
      what: "a run reads",
      value: `at most ${counted(BUNDLE_LIMITS.maxFiles)} files and ${
        mebi(BUNDLE_LIMITS.maxBytes)
      } of its skill`,
    },
    {
      what: "handed in",
      value: `${MAX_ARGS} arguments of ${MAX_ARG_BYTES / 1024} KiB together; ` +
        `stdin and files ${mebi(MAX_INPUT_BYTES)} together`,
    },
    {
      what: "a script gets at most",
      value: limitsText(config.ceiling).replaceAll(",", ", "),
    },
    {
      what: "secrets in output",
      value: config.redact ? "replaced by their names" : "not replaced",
    },
    { what: "captured", value: `${mebi(KEPT_OF_STREAM)} of each stream` },
    {
      what: "outputs kept",
      value: `${mebi(OUTPUT_LIMITS.totalBytes)}, ${OUTPUT_LIMITS.runs} runs, ` +
        `${OUTPUT_LIMITS.keepMs / 3_600_000} hour`,
    },
  ];
}
