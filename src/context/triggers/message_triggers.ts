/** Keywords and patterns of skills against one message. */

import { visible } from "../../base/text.ts";
import { isSlashWord } from "./boundaries.ts";
import { CodeParts } from "./code_parts.ts";
import { codeFinder, type FindCode } from "./find_code.ts";
import { fold, type Folded, foldKeyword } from "./fold.ts";
import { type Found, KeywordIndex, type Miss } from "./keyword_index.ts";
import type { Pattern } from "./patterns.ts";

/** One keyword of an owner, and its place in the owner's list. */
interface Use<Owner> {
  readonly owner: Owner;
  readonly rank: number;
  readonly written: string;
  readonly inCode: boolean;
}

/** Where one of an owner's keywords matched: the first of its list that did. */
export interface Matched<Owner> {
  readonly owner: Owner;
  readonly written: string;
  readonly slash: boolean;
  /** Offset into the message, in UTF-16 units. */
  readonly offset: number;
  readonly text: string;
}

/** Why an owner's keywords did not match although one stands there. */
export interface NearlyMatched<Owner> {
  readonly owner: Owner;
  readonly written: string;
  readonly slash: boolean;
  /** In words; made when asked for. */
  readonly why: () => string;
}

/** What one message came to. */
export interface MessageMatch<Owner> {
  readonly matched: readonly Matched<Owner>[];
  /** Of owners that did not match. */
  readonly near: readonly NearlyMatched<Owner>[];
}

/** How a keyword of an owner counts. */
export interface KeywordPlace {
  /** Its place in the list: the first that matches is named. */
  readonly rank: number;
  /** As the author wrote it. */
  readonly written: string;
  /** What stands in code counts too. */
  readonly inCode: boolean;
}

type Span = readonly [start: number, end: number];

/** The keywords of all skills. Add them all, then match. */
export class MessageTriggers<Owner> {
  readonly #index = new KeywordIndex();
  readonly #uses = new Map<string, Use<Owner>[]>();
  readonly #patterns: { pattern: Pattern; use: Use<Owner> }[] = [];

  /** Adds a literal keyword; false: there is nothing in it to be found. */
  addKeyword(owner: Owner, place: KeywordPlace): boolean {
    const keyword = foldKeyword(place.written);
    if (keyword === "") return false;
    const use = { owner, ...place };
    const uses = this.#uses.get(keyword);
    if (uses === undefined) {
      this.#uses.set(keyword, [use]);
      this.#index.add(keyword);
    } else uses.push(use);
    return true;
  }

  /** Adds a compiled pattern. */
  addPattern(owner: Owner, pattern: Pattern, place: KeywordPlace): void {
    this.#patterns.push({ pattern, use: { owner, ...place } });
  }

  /** What comes up for `message`. */
  async match(message: string): Promise<MessageMatch<Owner>> {
    const look = new Look<Owner>(message);
    for (const [keyword, found] of this.#index.find(look.folded.text)) {
      await look.keyword(keyword, found, this.#uses.get(keyword)!);
    }
    for (const { pattern, use } of this.#patterns) {
      await look.pattern(pattern, use);
    }
    return look.result((miss, keyword) => {
      const [start, end] = this.#index.wordAround(
        look.folded.text,
        miss.at,
        miss.at + keyword.length,
      );
      return message.slice(look.folded.start(start), look.folded.end(end));
    });
  }
}

/** One message, while it is matched. */
class Look<Owner> {
  readonly folded: Folded;
  readonly #message: string;
  readonly #code: CodeParts;
  readonly #matched = new Map<Owner, { use: Use<Owner>; span: Span }>();
  readonly #near = new Map<
    Owner,
    { use: Use<Owner>; keyword: string; miss: Miss | undefined }
  >();
  #find: FindCode | undefined;

  constructor(message: string) {
    this.#message = message;
    this.folded = fold(message);
    this.#code = new CodeParts(message);
  }

  async keyword(
    keyword: string,
    { places, miss }: Found,
    uses: readonly Use<Owner>[],
  ): Promise<void> {
    const span = (place: number): Span => [
      this.folded.start(place),
      this.folded.end(place + keyword.length),
    ];
    if (places.length === 0) {
      for (const use of uses) this.#nearly(use, keyword, miss);
      return;
    }
    const first = span(places[0]!);
    const plain = uses.some(({ inCode }) => !inCode)
      ? await this.#firstPlain(lazily(places, span))
      : undefined;
    for (const use of uses) {
      const where = use.inCode ? first : plain;
      if (where !== undefined) this.#take(use, where);
      else this.#nearly(use, keyword, undefined);
    }
  }

  async pattern(pattern: Pattern, use: Use<Owner>): Promise<void> {
    const before = this.#matched.get(use.owner);
    if (before !== undefined && before.use.rank < use.rank) return;
    let any = false;
    const spans = function* () {
      for (const span of pattern.places(message)) {
        any = true;
        yield span;
      }
    };
    const message = this.#message;
    const span = use.inCode
      ? firstOf(spans())
      : await this.#firstPlain(spans());
    if (span !== undefined) this.#take(use, span);
    else if (any) this.#nearly(use, use.written, undefined);
  }

  result(
    wordAt: (miss: Miss, keyword: string) => string,
  ): MessageMatch<Owner> {
    const slash = ({ written }: Use<Owner>) => isSlashWord(written.trim());
    return {
      matched: [...this.#matched.values()].map((
        { use, span: [start, end] },
      ) => ({
        owner: use.owner,
        written: use.written,
        slash: slash(use),
        offset: start,
        text: this.#message.slice(start, end),
      })),
      near: [...this.#near.values()]
        .filter(({ use }) => !this.#matched.has(use.owner))
        .map(({ use, keyword, miss }) => ({
          owner: use.owner,
          written: use.written,
          slash: slash(use),
          why: () => whyNot(use.written, miss, miss && wordAt(miss, keyword)),
        })),
    };
  }

  /** The first span that is outside code. */
  async #firstPlain(spans: Iterable<Span>): Promise<Span | undefined> {
    for (const span of spans) {
      const [start, end] = span;
      if (!this.#code.mayHold(start, end)) return span;
      this.#find ??= await codeFinder();
      if (!this.#code.holds(start, end, this.#find)) return span;
    }
    return undefined;
  }

  #take(use: Use<Owner>, span: Span): void {
    const before = this.#matched.get(use.owner);
    if (before !== undefined && before.use.rank <= use.rank) return;
    this.#matched.set(use.owner, { use, span });
  }

  #nearly(use: Use<Owner>, keyword: string, miss: Miss | undefined): void {
    const before = this.#near.get(use.owner);
    if (before !== undefined && before.use.rank <= use.rank) return;
    this.#near.set(use.owner, { use, keyword, miss });
  }
}

function whyNot(
  written: string,
  miss: Miss | undefined,
  around: string | undefined,
): string {
  const keyword = `"${visible(written, 60)}"`;
  if (miss === undefined || around === undefined) {
    return `${keyword} stands in code only`;
  }
  const word = `"${visible(around, 80)}"`;
  if (miss.why === "not-at-start") {
    return `${keyword} is not at the start of a word of its own, but in ${word}`;
  }
  return /\s/.test(around)
    ? `${keyword} stands inside ${word}`
    : `${keyword} stands inside the word ${word}`;
}

function* lazily(
  places: readonly number[],
  span: (place: number) => Span,
): Iterable<Span> {
  for (const place of places) yield span(place);
}

function firstOf<Item>(items: Iterable<Item>): Item | undefined {
  for (const item of items) return item;
  return undefined;
}
