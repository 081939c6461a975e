/** What makes a skill come up, read from its frontmatter. Nothing is compiled. */

import { isRecord, own, reportUnknownKeys, shown } from "./block_values.ts";
import { Findings } from "./findings.ts";
import type { Locate } from "./frontmatter.ts";
import { readInputs } from "./task_inputs.ts";
import {
  readBoolean,
  readGlobs,
  readKeywords,
  type Written,
} from "./trigger_values.ts";
import type { Activation, Finding } from "./types.ts";

/** What a skill says about its coming up. */
export interface ActivationReading {
  readonly activation: Activation;
  readonly modelMayNotInvoke: boolean;
  readonly findings: readonly Finding[];
}

type Values = Readonly<Record<string, unknown>>;

/** The keys of a `trigger:` of each type, of which one has to be there. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  keyword: ["keywords", "triggers"],
  task: ["triggers", "keywords", "inputs"],
  path: ["paths"],
};
const TRIGGER_KEYS = [
  "type",
  "keywords",
  "triggers",
  "paths",
  "inputs",
  "in-code",
];
const TRIGGER_HINT =
  'Write trigger: {type: keyword, keywords: ["word"]}, {type: task, triggers: ["/word"]}, {type: path, paths: ["*.ts"]} or null.';
const DISABLE = ["disable-model-invocation", "disable_model_invocation"];
/** Most skills have none of these. */
const KEYS = ["trigger", "triggers", "paths", "inputs", "in-code", ...DISABLE];

/** What a skill without a trigger is: always on when flat, else listed. */
export function untriggered(flat: boolean): Activation {
  return { kind: flat ? "always" : "catalogue" };
}

/**
 * Reads `trigger:`, and `triggers:`, `paths:`, `inputs:` and `in-code:` at the
 * top. Paths win over words and inputs, `trigger:` over the same at the top, and
 * what is dropped is named. What has the wrong type counts as absent and is
 * reported. A flat file whose trigger cannot be used is in the catalogue: its
 * author did not mean it to be always on.
 */
export function readActivation(
  values: Values,
  locate: Locate,
  options: { readonly flat: boolean },
): ActivationReading {
  if (!KEYS.some((key) => Object.hasOwn(values, key))) {
    return {
      activation: untriggered(options.flat),
      modelMayNotInvoke: false,
      findings: [],
    };
  }
  const findings = new Findings("trigger", locate);
  const trigger = readTrigger(values, findings);
  const activation = trigger ??
    untriggered(options.flat && findings.list().length === 0);
  return {
    activation,
    modelMayNotInvoke: readDisabled(values, findings) ||
      activation.kind === "path",
    findings: findings.list(),
  };
}

/** Undefined: nothing that makes it come up. */
function readTrigger(
  values: Values,
  findings: Findings,
): Activation | undefined {
  const block = readBlock(values, findings);
  const inBlock = (key: string) =>
    block === undefined ? undefined : written(block, key, ["trigger"]);
  const choose = (key: string, ...more: string[]) =>
    firstOf(
      [...more.map(inBlock), inBlock(key), written(values, key)],
      findings,
    );
  const words = choose("triggers", "keywords");
  const inputs = choose("inputs");
  const globs = readGlobs(choose("paths"), findings) ?? [];
  if (globs.length > 0) {
    for (const other of [words, inputs]) {
      if (other !== undefined) {
        drop(other, "paths make it a path rule", findings);
      }
    }
    return { kind: "path", globs };
  }
  const inCode = readBoolean(choose("in-code"), findings) ?? false;
  const keywords = readKeywords(words, findings) ?? [];
  const asked = readInputs(inputs, findings);
  if (asked !== undefined) {
    return { kind: "task", keywords, inCode, inputs: asked };
  }
  if (keywords.length === 0) return undefined;
  return block !== undefined && own(block, "type") === "task"
    ? { kind: "task", keywords, inCode, inputs: [] }
    : { kind: "keyword", keywords, inCode };
}

/** The mapping under `trigger:`, when it has a known type and what that needs. */
function readBlock(
  values: Values,
  findings: Findings,
): Record<string, unknown> | undefined {
  const trigger = written(values, "trigger");
  if (trigger === undefined) return undefined;
  const absent = (path: readonly string[], why: string): undefined => {
    findings.add({
      severity: "warning",
      path,
      detail: `${why}; the trigger counts as absent`,
      hint: TRIGGER_HINT,
    });
  };
  const { value } = trigger;
  if (!isRecord(value)) {
    return absent(["trigger"], `${shown(value)} is not a mapping`);
  }
  const type = own(value, "type");
  const needed = typeof type === "string" ? own(NEEDED, type) : undefined;
  if (!Array.isArray(needed)) {
    return absent(
      ["trigger", "type"],
      type === undefined ? "is missing" : `${shown(type)} is no known type`,
    );
  }
  if (!needed.some((key) => written(value, key) !== undefined)) {
    return absent(["trigger", needed[0]], "is missing");
  }
  reportUnknownKeys(value, TRIGGER_KEYS, ["trigger"], findings);
  return value;
}

function readDisabled(values: Values, findings: Findings): boolean {
  const said = DISABLE.flatMap((key) => {
    const one = written(values, key);
    const value = readBoolean(one, findings);
    return one === undefined || value === undefined ? [] : [{ one, value }];
  });
  const [first, second] = said;
  if (second !== undefined && first!.value !== second.value) {
    drop(second.one, `${DISABLE[0]} says otherwise`, findings);
  }
  return first?.value ?? false;
}

/** The first that is there; the others are dropped and named. */
function firstOf(
  places: readonly (Written | undefined)[],
  findings: Findings,
): Written | undefined {
  const [first, ...others] = places.filter((one) => one !== undefined);
  for (const other of others) {
    drop(other, `${first!.path.join(".")} says it already`, findings);
  }
  return first;
}

function drop(what: Written, why: string, findings: Findings): void {
  findings.add({
    severity: "warning",
    path: what.path,
    detail: `is dropped, since ${why}`,
    hint: "Keep one of the two.",
    atKey: true,
  });
}

/** A key without a value says nothing. */
function written(
  record: Values,
  key: string,
  below: readonly string[] = [],
): Written | undefined {
  const value = own(record, key) ?? undefined;
  return value === undefined ? undefined : { value, path: [...below, key] };
}
