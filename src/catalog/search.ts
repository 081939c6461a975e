/** Ranked search over one snapshot: name, description, when to use, body. */

import MiniSearch from "minisearch";
import { composed } from "../base/composed.ts";
import { Pacer } from "../base/pacer.ts";
import type { Skill, Snapshot } from "./types.ts";

/** Characters of a body that are searched: bounds memory and building time. */
const BODY_SEARCHED = 4_096;
/** Most words of a query that count. */
const MAX_WORDS = 12;
/** Longest word that is indexed or looked for. */
const MAX_WORD = 64;

/** Words in every text, left out of a query that holds others. */
const COMMON = new Set(
  ("a an and are as at be by can do for from how i if in into is it me my of " +
    "on or please that the then this to use user want what when with you your")
    .split(" "),
);

/** A skill as the index sees it. */
interface Entry {
  readonly name: string;
  /** Description and when to use. */
  readonly about: string;
  readonly body: string;
}

/** An index over the skills of one snapshot, built at the first query. */
export class SkillSearch {
  readonly #skills: readonly Skill[];
  #index: Promise<MiniSearch<Entry>> | undefined;

  constructor(snapshot: Pick<Snapshot, "skills">) {
    this.#skills = [...snapshot.skills.values()];
  }

  /**
   * Names of the skills that match, best first. Each of the first dozen words
   * counts, as a whole, as the start of a word, or with a slip in it; a query
   * without a word gives nothing.
   */
  async rank(query: string): Promise<string[]> {
    this.#index ??= buildIndex(this.#skills);
    const index = await this.#index;
    const words = queryWords(query);
    if (words.length === 0) return [];
    const names = index.search(words.join(" ")).map(({ id }) => String(id));
    const wanted = query.trim().toLowerCase();
    const exact = names.findIndex((name) => name.toLowerCase() === wanted);
    return exact > 0 ? [names[exact]!, ...names.toSpliced(exact, 1)] : names;
  }
}

async function buildIndex(
  skills: readonly Skill[],
): Promise<MiniSearch<Entry>> {
  const index = new MiniSearch<Entry>({
    idField: "name",
    fields: ["name", "about", "body"],
    tokenize: wordsOf,
    // Words come lower-cased already.
    processTerm: (term) => term,
    searchOptions: {
      boost: { name: 6, about: 4 },
      prefix: (term) => term.length >= 3,
      fuzzy: (term) => term.length >= 5 ? 1 : false,
      combineWith: "OR",
    },
  });
  const pacer = new Pacer();
  for (const skill of skills) {
    index.add({
      name: skill.name,
      about: `${skill.description ?? ""} ${skill.whenToUse ?? ""}`,
      body: skill.body.slice(0, BODY_SEARCHED),
    });
    if (pacer.due()) await pacer.pause();
  }
  return index;
}

function queryWords(query: string): string[] {
  const words = wordsOf(query.slice(0, BODY_SEARCHED));
  const telling = words.filter((word) => !COMMON.has(word));
  return (telling.length > 0 ? telling : words).slice(0, MAX_WORDS);
}

/** Letters, digits and everything beyond ASCII; the property is far slower. */
const WORD = /[a-z0-9\u0080-\uffff]+/g;

/**
 * The different words of a text, in lower case. How often one occurs is left
 * out: without a JIT, counting each occurrence takes five times as long.
 */
function wordsOf(text: string): string[] {
  const words = composed(text).toLowerCase().match(WORD) ?? [];
  const different: string[] = [];
  for (const word of new Set(words)) different.push(word.slice(0, MAX_WORD));
  return different;
}
