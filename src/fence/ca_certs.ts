/** Certificates that this server's owner trusts beside the usual ones. */

import { readBounded } from "../base/bounded_read.ts";

/**
 * Variables by which other programs are told of such a file. A server behind a
 * proxy that opens TLS needs its certificate where requests are really made.
 */
const VARIABLES: readonly string[] = ["SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS"];
/** More than any system's whole list. */
const MAX_BYTES = 4 * 1024 * 1024;
const CERTIFICATE =
  /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

/**
 * The certificates (PEM) in the files that the server's environment names.
 * What cannot be read holds none.
 */
export async function ownCertificates(
  env: (name: string) => string | undefined,
): Promise<string[]> {
  const found = await Promise.all(VARIABLES.map(async (name) => {
    const path = env(name);
    if (path === undefined) return [];
    const read = await readBounded(path, MAX_BYTES);
    if (!read.ok) return [];
    return new TextDecoder().decode(read.value.bytes).match(CERTIFICATE) ?? [];
  }));
  return [...new Set(found.flat())];
}
