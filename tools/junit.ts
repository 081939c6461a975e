/** The part of a JUnit report of `deno test` that is asked about. */

/** How one test or step ended. */
export type Outcome = "passed" | "failed" | "skipped";

/** One test; a step is named `test > step`. */
export interface TestCase {
  readonly name: string;
  /** Test file as reported. */
  readonly file: string;
  readonly outcome: Outcome;
}

const CASE = /<testcase\s([^>]*?)(?:\/>|>(.*?)<\/testcase>)/gs;
const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
};

/** Reads every test and step of a report. */
export function readReport(xml: string): TestCase[] {
  const cases: TestCase[] = [];
  for (const [, attributes = "", body = ""] of xml.matchAll(CASE)) {
    cases.push({
      name: attribute(attributes, "name"),
      file: attribute(attributes, "classname"),
      outcome: /<(failure|error)\b/.test(body)
        ? "failed"
        : /<skipped\b/.test(body)
        ? "skipped"
        : "passed",
    });
  }
  return cases;
}

function attribute(attributes: string, name: string): string {
  const match = attributes.match(new RegExp(`(?:^|\\s)${name}="([^"]*)"`));
  return (match?.[1] ?? "").replace(
    /&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi,
    (whole, hex, decimal, word) => {
      if (hex) return String.fromCodePoint(parseInt(hex, 16));
      if (decimal) return String.fromCodePoint(parseInt(decimal, 10));
      return ENTITIES[word] ?? whole;
    },
  );
}
