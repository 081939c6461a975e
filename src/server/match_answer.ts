/** What `skill_match` answers, in what fits. */

import type { Snapshot } from "../catalog/types.ts";
import type { MatchResult } from "../context/types.ts";
import {
  ANSWER_CHARS,
  boundedText,
  encodedLength,
  structuredLength,
  takeFitting,
} from "./fit.ts";
import type { Candidate } from "./match_candidates.ts";
import { bundleTexts, referenceRow } from "./reference_rows.ts";
import { DEFAULT_MATCHES, type MatchArguments } from "./schemas/inputs.ts";
import type { MatchReport, MatchRow } from "./schemas/text_shapes.ts";
import type { ToolContext } from "./tool.ts";

/** Encoded characters that each part may take. */
const HITS_ROOM = 14_000;
const NEAR_ROOM = 6000;
const PATHS_ROOM = 4000;
const NAMES_ROOM = 3000;
/** For hints, notes, numbers of blocks and braces. */
const RESERVE = 3000;
/** For what a row says once it is decided what comes with it. */
const ROW_RESERVE = 250;
const MAX_TEXT = 400;

/** What was found, and what was asked for. */
export interface Matched {
  readonly found: MatchResult;
  readonly candidates: readonly Candidate[];
  readonly args: MatchArguments;
  /** Whether the caller has this text already. */
  readonly had: (name: string, digest: string) => boolean;
}

/** The content blocks: the report, then the texts that it points at. */
export async function matchAnswer(
  context: ToolContext,
  snapshot: Snapshot,
  { found, candidates, args, had }: Matched,
): Promise<string[]> {
  const { engine, session, show } = context;
  const rows = takeFitting(
    candidates.slice(0, args.limit ?? DEFAULT_MATCHES).map(({ row }) => row),
    HITS_ROOM,
    1,
  );
  const others = candidates.slice(rows.length);
  const leftOut = takeFitting(others.map(({ name }) => name), NAMES_ROOM);
  const document = await engine.context.document(snapshot);
  const rest = {
    ...(others.length === 0 ? {} : { leftOut }),
    ...(others.length === leftOut.length
      ? {}
      : { more: others.length - leftOut.length }),
    near: takeFitting(
      found.near.map((miss) => ({
        ...miss,
        matched: boundedText(miss.matched, MAX_TEXT),
        why: boundedText(miss.why, MAX_TEXT),
      })),
      NEAR_ROOM,
    ),
    refusedPaths: takeFitting(
      found.refusedPaths.map(({ path, why }) => ({
        path: boundedText(path, MAX_TEXT),
        why: boundedText(why, MAX_TEXT),
      })),
      PATHS_ROOM,
    ),
    ...(document === undefined || document.parts === 0 ? {} : {
      context: {
        uri: document.uri,
        digest: document.digest,
        parts: document.parts,
      },
    }),
  };
  let room = ANSWER_CHARS - RESERVE - rows.length * ROW_RESERVE -
    structuredLength({ ...rest, hits: rows });
  const texts: string[] = [];
  const hits: MatchRow[] = [];
  const hints: string[] = [];
  for (const [index, row] of rows.entries()) {
    const { name, block, hint, skill } = candidates[index]!;
    if (had(name, row.digest)) {
      hits.push({ ...row, content: "already have it" });
      continue;
    }
    const content = await block();
    const length = encodedLength(content);
    if (length > room) {
      hits.push({ ...row, hint });
      continue;
    }
    room -= length;
    texts.push(content);
    const shown = {
      ...row,
      block: texts.length,
      ...(session.seen.has(row.digest)
        ? { note: "This session was given the same text before." }
        : {}),
    };
    session.seen.add(row.digest);
    if (args.bundle !== true || skill === undefined) {
      hits.push(shown);
      continue;
    }
    const bundled = await bundleTexts(
      engine,
      snapshot,
      skill.references.map((each) => referenceRow(each, skill, false)),
      { room, first: texts.length + 1 },
    );
    texts.push(...bundled.texts);
    for (const each of bundled.texts) room -= encodedLength(each);
    hints.push(...bundled.hints);
    const references = bundled.rows.flatMap(({ id, name, block }) =>
      id === undefined || block === undefined ? [] : [{ id, name, block }]
    );
    room -= structuredLength(references);
    hits.push(references.length === 0 ? shown : { ...shown, references });
  }
  const report: MatchReport = {
    hits,
    ...rest,
    hints: takeFitting(hints, RESERVE / 2),
  };
  return [JSON.stringify(show.value(report)), ...texts];
}
