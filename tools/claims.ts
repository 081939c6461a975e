/**
 * Checks `docs/claims/*.md`: every sentence there names the tests that show it,
 * and each of those ran and passed.
 *
 * Run as `deno run -A tools/claims.ts [REPORT.xml]`, by default on the report
 * of the last full `deno task test`; exits 1 on a claim that does not hold.
 */

import { join } from "node:path";
import { readReport, type TestCase } from "./junit.ts";
import { say, warn } from "./say.ts";

/** One row of a table of claims. */
export interface Claim {
  readonly file: string;
  /** 1-based line. */
  readonly line: number;
  readonly sentence: string;
  /** Names of tests; empty when the row names none. */
  readonly tests: readonly string[];
}

/** What is read and what it is held against. */
export interface ClaimsResult {
  readonly claims: number;
  /** One line each; empty when every claim holds. */
  readonly complaints: readonly string[];
}

/** Where the report of the last full test run lies. */
export function reportPath(root: string): string {
  return join(root, "dist", "test", "report.xml");
}

/**
 * Reads the tables of a document. A table of claims is one whose last heading
 * is `test` or `tests`; other tables are none.
 */
export function readClaims(file: string, markdown: string): Claim[] {
  const claims: Claim[] = [];
  let inTable: "no" | "claims" | "other" = "no";
  for (const [index, text] of markdown.split(/\r?\n/).entries()) {
    const cells = cellsOf(text);
    if (cells === undefined) {
      inTable = "no";
    } else if (inTable === "no") {
      inTable = /^tests?$/i.test(cells.at(-1) ?? "") ? "claims" : "other";
    } else if (
      inTable === "claims" && !cells.every((cell) => /^:?-+:?$/.test(cell))
    ) {
      claims.push({
        file,
        line: index + 1,
        sentence: cells.slice(0, -1).join(" | "),
        tests: codeSpans(cells.at(-1) ?? ""),
      });
    }
  }
  return claims;
}

/** One complaint for every claim that the report does not show. */
export function checkClaims(
  claims: readonly Claim[],
  cases: readonly TestCase[],
): string[] {
  const byName = Map.groupBy(cases, (one) => one.name);
  return claims.flatMap(({ file, line, sentence, tests }) => {
    const at = `${file}:${line}: ${JSON.stringify(sentence)}`;
    if (tests.length === 0) return [`${at} names no test`];
    return tests.flatMap((test) => {
      const runs = byName.get(test) ?? [];
      if (runs.length === 0) return [`${at}: no test ${JSON.stringify(test)}`];
      const bad = runs.find((one) => one.outcome !== "passed");
      return bad === undefined
        ? []
        : [`${at}: ${bad.outcome}: ${JSON.stringify(test)}`];
    });
  });
}

/** Holds the documents of `<root>/docs/claims` against a report. */
export async function claimsOf(
  root: string,
  report: string,
): Promise<ClaimsResult> {
  const dir = join(root, "docs", "claims");
  const files: string[] = [];
  try {
    for await (const { name } of Deno.readDir(dir)) {
      if (name.endsWith(".md")) files.push(name);
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  const claims: Claim[] = [];
  for (const name of files.sort()) {
    claims.push(
      ...readClaims(
        `docs/claims/${name}`,
        await Deno.readTextFile(join(dir, name)),
      ),
    );
  }
  let xml: string;
  try {
    xml = await Deno.readTextFile(report);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    const complaint = `there is no test report at ${report}: run the tests`;
    return { claims: claims.length, complaints: [complaint] };
  }
  const complaints = checkClaims(claims, readReport(xml));
  if (claims.length === 0) complaints.push("docs/claims holds no claim");
  return { claims: claims.length, complaints };
}

/** The cells of a table row, `\|` being a bar; undefined for another line. */
function cellsOf(line: string): string[] | undefined {
  const row = line.trim();
  if (!row.startsWith("|")) return undefined;
  const inner = row.slice(1).replace(/(?<!\\)\|$/, "");
  return inner.split(/(?<!\\)\|/)
    .map((cell) => cell.replaceAll("\\|", "|").trim());
}

/** Contents of the code spans of a cell, fenced by any number of backticks. */
function codeSpans(cell: string): string[] {
  const spans: string[] = [];
  for (const match of cell.matchAll(/(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)/g)) {
    const text = match[2]!;
    spans.push(/^ .*\S.* $/.test(text) ? text.slice(1, -1) : text);
  }
  return spans;
}

/** Prints what does not hold; true when everything does. */
export async function reportClaims(
  root: string,
  report: string,
): Promise<boolean> {
  const { claims, complaints } = await claimsOf(root, report);
  for (const complaint of complaints) warn(`claim: ${complaint}`);
  say(`${claims} claims, ${complaints.length} complaints`);
  return complaints.length === 0;
}

if (import.meta.main) {
  const root = join(import.meta.dirname!, "..");
  if (!await reportClaims(root, Deno.args[0] ?? reportPath(root))) Deno.exit(1);
}
