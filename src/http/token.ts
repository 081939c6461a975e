/** The one token that callers show, and how it is compared. */

import { createHash, timingSafeEqual } from "node:crypto";
import { join } from "node:path";
import { errorName } from "../base/error_name.ts";
import { ok, refuse, type Result } from "../base/refusal.ts";
import { readSecretFile, unusable } from "./secret_file.ts";

/** A token, and where a client's owner reads it. */
export interface Token {
  readonly text: string;
  /** Absolute. */
  readonly file: string;
}

/** The name of a generated token's file in the cache directory. */
const FILE_NAME = "http-token";
const MIN_LENGTH = 32;
const GENERATED_BYTES = 32;
/** What a bearer token may consist of (RFC 6750, section 2.1). */
const BEARER = /^[A-Za-z0-9\-._~+/]+=*$/;

/**
 * The token of `SKILLFENCE_TOKEN_FILE`, without blanks around it. Refuses with
 * `CONFIG` what is not at least 32 characters of a bearer token.
 */
export function ownersToken(file: string): Promise<Result<Token>> {
  return readToken(file, "SKILLFENCE_TOKEN_FILE");
}

async function readToken(file: string, whose: string): Promise<Result<Token>> {
  const bytes = await readSecretFile(file, whose);
  if (!bytes.ok) return bytes;
  const text = new TextDecoder().decode(bytes.value).trim();
  if (text.length < MIN_LENGTH) {
    return unusable(whose, `its token has fewer than ${MIN_LENGTH} characters`);
  }
  return BEARER.test(text)
    ? ok({ text, file })
    : unusable(whose, "its token has characters that no bearer token has");
}

/**
 * The token in `cacheDir`, made on first use: 256 random bits in a file of mode
 * 0600. The next server with the same cache directory reads the same token.
 */
export async function generatedToken(cacheDir: string): Promise<Result<Token>> {
  const file = join(cacheDir, FILE_NAME);
  try {
    await Deno.lstat(file);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) return notMade(error);
    const made = await make(cacheDir, file);
    if (!made.ok) return made;
  }
  const read = await readToken(file, `the token made before, ${file},`);
  return read.ok ? read : refuse(
    "CONFIG",
    read.message,
    "Remove it; the next start makes a new one.",
  );
}

async function make(cacheDir: string, file: string): Promise<Result<void>> {
  const temporary = join(cacheDir, `.${FILE_NAME}.${crypto.randomUUID()}`);
  const random = crypto.getRandomValues(new Uint8Array(GENERATED_BYTES));
  try {
    await Deno.writeTextFile(
      temporary,
      `${random.toBase64({ alphabet: "base64url", omitPadding: true })}\n`,
      {
        mode: 0o600,
        createNew: true,
      },
    );
    try {
      // Not a rename: of two servers that start at once, the first one's stays.
      await Deno.link(temporary, file);
    } catch (error) {
      if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
    } finally {
      await Deno.remove(temporary);
    }
    return ok(undefined);
  } catch (error) {
    return notMade(error);
  }
}

function notMade(error: unknown): Result<never> {
  return refuse(
    "CONFIG",
    `No token can be kept in the cache directory (${errorName(error)})`,
    "Set SKILLFENCE_TOKEN_FILE to a file with a token, or SKILLFENCE_CACHE_DIR to a directory of mode 0700.",
  );
}

/** SHA-256 of a token: what is compared, and what stands for its caller. */
export function tokenDigest(text: string): Uint8Array {
  return createHash("sha256").update(text).digest();
}

/**
 * Whether an `Authorization` header carries the token. Digests of equal length
 * are compared, in a time that does not depend on where they differ.
 */
export function carriesToken(
  header: string | null,
  digest: Uint8Array,
): boolean {
  const shown = /^bearer +(\S+)$/i.exec(header ?? "")?.[1];
  // Compared in any case, so that a missing token takes as long as a wrong one.
  const equal = timingSafeEqual(tokenDigest(shown ?? ""), digest);
  return shown !== undefined && equal;
}
