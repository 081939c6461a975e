/** What a run turned to through its proxy: counted, and bounded. */

import { visible } from "../base/text.ts";
import type { Contact, ProxyRecord } from "./types.ts";
import type { Tally } from "./wire.ts";

/** Different contacts that are kept; the rest are counted. */
const MAX_CONTACTS = 256;

/** One contact: what tells it from others. */
export type ContactKind = Omit<Contact, "times" | "bytesOut" | "bytesIn">;

/** The contacts of one run. */
export class Contacts {
  readonly #kept = new Map<string, ContactKind & Tally & { times: number }>();
  #more = 0;

  /** Notes a contact and gives where its bytes are counted. */
  note(kind: ContactKind): Tally {
    const host = visible(kind.host, 253);
    const key = JSON.stringify([
      host,
      kind.port,
      kind.via,
      kind.verdict,
      kind.reason,
    ]);
    const known = this.#kept.get(key);
    if (known !== undefined) {
      known.times++;
      return known;
    }
    const fresh = { ...kind, host, times: 1, bytesOut: 0, bytesIn: 0 };
    if (this.#kept.size < MAX_CONTACTS) this.#kept.set(key, fresh);
    else this.#more++;
    return fresh;
  }

  /** Everything so far, in the order of first contact. */
  record(): ProxyRecord {
    return {
      contacts: [...this.#kept.values()].map((contact) => ({ ...contact })),
      more: this.#more,
    };
  }
}
