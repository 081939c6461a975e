/**
 * Secrets that stay at the proxy: a script holds a placeholder, and the value
 * is put in on the way to the hosts it is meant for.
 */

import { Buffer } from "node:buffer";
import { ok, refuse, type Result } from "../base/refusal.ts";
import { visible } from "../base/text.ts";
import { admits } from "../skill/host_sets.ts";
import type { Destination } from "./destination.ts";
import type { Header } from "./http_head.ts";
import { bytesOf, textOf } from "./latin1.ts";
import { replaceAll, type Replacement } from "./replacer.ts";
import type { HeldSecret } from "./types.ts";

/** 160 bits: nobody guesses it. */
const RANDOM_BYTES = 20;

interface Held {
  readonly secret: HeldSecret;
  /** Placeholder to value. */
  readonly in: Replacement;
  /** Value to placeholder. */
  readonly out: Replacement;
}

/** Headers with values put in. */
export interface Filled {
  readonly headers: readonly Header[];
  /** Encodings of values in there, to be taken out of the answer as well. */
  readonly encoded: readonly Replacement[];
}

/** The secrets of one run. */
export class Secrets {
  /** By name: what the script is handed. */
  readonly placeholders: ReadonlyMap<string, string>;
  readonly #held: readonly Held[];

  private constructor(held: readonly Held[]) {
    this.#held = held;
    this.placeholders = new Map(
      held.map((one) => [
        one.secret.name,
        textOf(one.in.find),
      ]),
    );
  }

  /**
   * Draws the placeholders. `CONFIG` for a value that cannot stand in a header:
   * an empty one, and one with a line break or another control character.
   */
  static of(secrets: readonly HeldSecret[]): Result<Secrets> {
    for (const { name, value } of secrets) {
      // deno-lint-ignore no-control-regex
      if (value !== "" && !/[\x00-\x08\x0a-\x1f\x7f]/.test(value)) continue;
      return refuse(
        "CONFIG",
        `the value of ${visible(name, 80)} cannot stand in a request header: ${
          value === "" ? "it is empty" : "it holds a control character"
        }`,
        "Set the variable to the key alone, on one line and without a line break at its end.",
      );
    }
    return ok(
      new Secrets(secrets.map((secret) => {
        const word = Buffer.from(placeholder());
        const value = Buffer.from(secret.value);
        return {
          secret,
          in: { find: word, put: value },
          out: { find: value, put: word },
        };
      })),
    );
  }

  /**
   * What to take out of everything that this host answers, at each of its
   * ports and from the first request on: it may know a value from another run.
   */
  takenOut({ host }: Destination): readonly Replacement[] {
    return this.#held.filter(({ secret }) =>
      secret.hosts.some((one) => admits([one], host, one.ports[0]!))
    ).map((one) => one.out);
  }

  /** Whether no tunnel leads there, since its bytes could not be searched. */
  closeTunnels({ host, port }: Destination): boolean {
    return this.#held.some(({ secret }) => admits(secret.hosts, host, port));
  }

  /**
   * The headers with the values put in that are meant for this destination, as
   * they stand and inside Basic credentials. Without TLS nothing is.
   */
  putIn(headers: readonly Header[], to: Destination): Filled {
    const meant = this.#meantFor(to);
    if (meant.length === 0) return { headers, encoded: [] };
    const encoded: Replacement[] = [];
    const filled = headers.map(([name, value]): Header => {
      const basic = inBasic(value, (text) => fill(text, meant));
      if (basic === undefined) return [name, fill(value, meant)];
      encoded.push({ find: bytesOf(basic.now), put: bytesOf(basic.before) });
      return [name, basic.value];
    });
    return { headers: filled, encoded };
  }

  #meantFor(to: Destination): readonly Held[] {
    if (!to.secure) return [];
    return this.#held.filter(({ secret }) =>
      admits(secret.hosts, to.host, to.port)
    );
  }
}

function fill(text: string, meant: readonly Held[]): string {
  return replaceText(text, meant.map((one) => one.in));
}

/** Text of one character per byte with each word replaced. */
export function replaceText(
  text: string,
  replacements: readonly Replacement[],
): string {
  if (replacements.length === 0) return text;
  return textOf(replaceAll(bytesOf(text), replacements));
}

/** Basic credentials (RFC 7617) changed inside; undefined if nothing changed. */
function inBasic(
  value: string,
  change: (text: string) => string,
): { value: string; before: string; now: string } | undefined {
  const basic = /^(basic[\t ]+)([A-Za-z0-9+/_-]+={0,2})$/i.exec(value);
  if (basic === null) return undefined;
  const [, scheme, before] = basic as unknown as [string, string, string];
  const text = textOf(Buffer.from(before, "base64"));
  const changed = change(text);
  if (changed === text) return undefined;
  const now = Buffer.from(changed, "latin1").toString("base64");
  return { value: scheme + now, before, now };
}

function placeholder(): string {
  const random = crypto.getRandomValues(new Uint8Array(RANDOM_BYTES));
  return `skillfence-held-${Buffer.from(random).toString("hex")}`;
}
