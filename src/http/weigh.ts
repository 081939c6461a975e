/** How much room the answer to a body may take, before it is made. */

import { MOST_READ } from "../server/schemas/inputs.ts";

/** Most bytes of JSON that one byte of a file becomes: `\u0000`. */
const MOST_PER_BYTE = 6;
/** Below this many bytes of files a request takes no room. */
const SMALL = 64 * 1024;

/** Bytes of the file at a URI, as `resources/read` would answer them. */
export type SizeOf = (uri: string) => Promise<number>;

interface Message {
  readonly method?: unknown;
  readonly params?: {
    readonly uri?: unknown;
    readonly name?: unknown;
    readonly arguments?: { readonly limit?: unknown } | null;
  } | null;
}

/**
 * Most bytes of the answer to a parsed body, its messages together: those that
 * read files, by the size of the file or the limit they give. 0 for what is
 * small; answers of all other methods have small bounds of their own.
 */
export async function weigh(body: unknown, sizeOf: SizeOf): Promise<number> {
  let bytes = 0;
  for (const message of Array.isArray(body) ? body : [body]) {
    bytes += await asked(message, sizeOf);
  }
  return bytes < SMALL ? 0 : bytes * MOST_PER_BYTE;
}

async function asked(
  message: Message | null | undefined,
  sizeOf: SizeOf,
): Promise<number> {
  const params = message?.params;
  if (message?.method === "resources/read") {
    return typeof params?.uri === "string" ? await sizeOf(params.uri) : 0;
  }
  if (message?.method !== "tools/call" || params?.name !== "skill_file") {
    return 0;
  }
  const limit = params.arguments?.limit;
  // What is above the schema's bound is refused, not read.
  return typeof limit === "number" && limit > 0 && limit <= MOST_READ
    ? limit
    : 0;
}
