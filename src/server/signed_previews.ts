/**
 * Previews that any replica with the same key accepts: what is shown as the
 * Plan's digest carries its own expiry and a signature. Each replica accepts one
 * at most once; that no other has accepted it, it cannot know.
 */

import { createHmac, timingSafeEqual } from "node:crypto";
import {
  PREVIEW_LIFETIME_MS,
  type Previews,
  type TakenPreview,
} from "./plan_memory.ts";

/** What signed previews are made of. */
export interface SigningOptions {
  /** At least 32 bytes. */
  readonly key: Uint8Array;
  /** Whom previews are for: another caller's are not accepted. */
  readonly caller: string;
  /** Used ones with their expiry; one for all callers of a server. */
  readonly used: Map<string, number>;
  /** The time of day in milliseconds, which replicas share. */
  readonly now: () => number;
}

/** `sha256:<hex>.<expiry in seconds>.<unique id>.<HMAC-SHA256>` */
const SIGNED = /^(sha256:[0-9a-f]{64})\.(\d{1,12})\.([\w-]{22})\.([\w-]{43})$/;
const ID_BYTES = 16;

/** The previews of one caller, in nobody's memory. */
export class SignedPreviews implements Previews {
  readonly #options: SigningOptions;

  constructor(options: SigningOptions) {
    this.#options = options;
  }

  remember(digest: string): string {
    const { now } = this.#options;
    const expiry = Math.floor((now() + PREVIEW_LIFETIME_MS) / 1000);
    const id = crypto.getRandomValues(new Uint8Array(ID_BYTES));
    const text = `${digest}.${expiry}.${base64url(id)}`;
    return `${text}.${this.#sign(text)}`;
  }

  names(said: string, digest: string): boolean {
    return said === digest || said.startsWith(`${digest}.`);
  }

  take(said: string): TakenPreview | undefined {
    const [, , seconds, , signature] = SIGNED.exec(said) ?? [];
    if (signature === undefined) return undefined;
    // Compared as text: of one signature there are several spellings in base64.
    const signed = this.#sign(said.slice(0, -signature.length - 1));
    if (!timingSafeEqual(asBytes(signed), asBytes(signature))) return undefined;
    const { used, now } = this.#options;
    const at = now();
    for (const [each, until] of used) if (until <= at) used.delete(each);
    const expiresAt = Number(seconds) * 1000;
    if (expiresAt <= at || used.has(said)) return undefined;
    used.set(said, expiresAt);
    return { digest: said, expiresAt };
  }

  giveBack(taken: TakenPreview): void {
    this.#options.used.delete(taken.digest);
  }

  #sign(text: string): string {
    const { key, caller } = this.#options;
    const signature = createHmac("sha256", key)
      .update(`skillfence preview 1\0${caller}\0${text}`).digest();
    return base64url(signature);
  }
}

function base64url(bytes: Uint8Array): string {
  return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}

function asBytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
