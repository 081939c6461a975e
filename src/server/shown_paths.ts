/**
 * The one place that keeps this machine's directories out of answers: over HTTP
 * each stands as a word, `<root 1>` for the first root of skills. What a skill's
 * files say is never touched.
 */

import { join } from "node:path";
import type { Answer } from "./errors.ts";

/** A directory or file, and the word that stands for it. */
export interface NamedPlace {
  /** Absolute. */
  readonly path: string;
  /** `<root 1>` */
  readonly label: string;
}

/** Puts words in place of directories. */
export interface ShowPaths {
  text(text: string): string;
  /** Every string in a JSON value. */
  value<T>(value: T): T;
}

/**
 * Where a link leads that leaves its root, as problems of this reason quote it:
 * from the root of everything, or upwards.
 */
const LINK_PROBLEM = "symlink-escape";
const LINK_TARGET = /"(?=\/|[^"]*\.\.(?:\/|")).*"/su;
const ELSEWHERE = '"<elsewhere>"';

/** Said of a Plan that is shown in this way. */
const PLAN_NOTE =
  "Directories of the server are named by words such as <root 1>, and confinement.command is left out; the digest covers them all the same.";

/** Shows everything as it is: on stdio the client is on this machine. */
export const AS_IT_IS: ShowPaths = {
  text: (text) => text,
  value: (value) => value,
};

/**
 * Words for `places`, the longest path first, and `<run>` for the directories
 * that runs have below `tmpDir`. A path is found as a whole name, in `file://`
 * addresses too.
 */
export function withWords(
  places: readonly NamedPlace[],
  tmpDir: string,
): ShowPaths {
  const words = new Map<string, string>();
  for (const { path, label } of places) {
    // The root of everything has no name that could be put in place of it.
    if (path === "/" || path === "") continue;
    for (const spelled of [path, encodeURI(path)]) {
      if (!words.has(spelled)) words.set(spelled, label);
    }
  }
  const known = [...words.keys()].sort((a, b) => b.length - a.length)
    .map(escape);
  const ofRuns = `${escape(join(tmpDir, "skillfence-"))}[\\w-]+`;
  const pattern = new RegExp(
    `(?<![\\p{L}\\p{N}_.-])(?:${
      [...known, ofRuns].join("|")
    })(?![\\p{L}\\p{N}_-]|\\.[\\p{L}\\p{N}_])`,
    "gu",
  );
  const text = (each: string): string =>
    each.replace(pattern, (found) => words.get(found) ?? "<run>");
  const value = (each: unknown): unknown => {
    if (typeof each === "string") return text(each);
    if (Array.isArray(each)) return each.map(value);
    if (typeof each !== "object" || each === null) return each;
    const shown: Record<string, unknown> = Object.fromEntries(
      Object.entries(each).map(([key, item]) => [key, value(item)]),
    );
    const { reason, detail } = shown;
    // No list knows the directories that the owner's own links lead to.
    return reason === LINK_PROBLEM && typeof detail === "string"
      ? { ...shown, detail: detail.replace(LINK_TARGET, ELSEWHERE) }
      : shown;
  };
  return { text, value: value as ShowPaths["value"] };
}

/**
 * An answer as it is shown. Texts stay as they are: they are files of skills,
 * and the manifests beside them are shown where they are made.
 */
export function showAnswer(answer: Answer, show: ShowPaths): Answer {
  if (show === AS_IT_IS) return answer;
  switch (answer.kind) {
    case "text":
    case "content":
    case "ask":
      return answer;
    case "structured":
      return { ...answer, value: showPlanIn(show.value(answer.value)) };
    case "refused":
      return {
        ...answer,
        refusal: show.value(answer.refusal),
        ...(answer.plan === undefined
          ? {}
          : { plan: withoutCommand(show.value(answer.plan)) }),
      };
  }
}

interface PlanLike {
  readonly confinement: { readonly command: readonly string[] };
  readonly notes: readonly string[];
}

function showPlanIn(value: object): object {
  const { plan } = value as { readonly plan?: PlanLike };
  return plan === undefined ? value : { ...value, plan: withoutCommand(plan) };
}

/** The launcher's command names most of a machine's directories. */
function withoutCommand<P extends PlanLike>(plan: P): P {
  return {
    ...plan,
    confinement: { ...plan.confinement, command: [] },
    notes: [...plan.notes, PLAN_NOTE],
  };
}

function escape(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
