/** One digest over every byte of a tree that a script may read. */

import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { FileDigests } from "../../catalog/file_digests.ts";
import { Pacer } from "../../base/pacer.ts";
import { byCodeUnit } from "../../base/order.ts";
import { joined } from "../../base/place.ts";
import { canonicalJson, sha256 } from "../../base/digest.ts";
import type { FileFact, TreeFacts } from "../preflight/inspect_tree.ts";

/** What a digest was made of: path -> digest of the bytes, or the link's text. */
export type Manifest = ReadonlyMap<string, string>;

/** A tree's digest. */
export interface Bundle {
  /** `sha256:<hex>`; the same bytes at the same paths give the same. */
  readonly digest: string;
  readonly manifest: Manifest;
}

/** Neither waits for a pipe's writer nor follows a link. */
const SAFE_READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) |
  (constants.O_NOFOLLOW ?? 0);
const CHUNK = 1024 * 1024;

/** Makes digests of trees and keeps those of files that did not change. */
export class BundleDigests {
  readonly #kept: FileDigests;

  constructor(
    now: () => number = Date.now,
    kept: FileDigests = new FileDigests({ now }),
  ) {
    this.#kept = kept;
  }

  /** The digest of the open files and links of a tree just looked at. */
  async digest(root: string, facts: TreeFacts): Promise<Bundle> {
    const manifest = new Map<string, string>();
    const pacer = new Pacer();
    for (const file of facts.files) {
      const digest = this.#kept.known(file) ??
        await this.#read(root, file, pacer);
      manifest.set(file.path, digest);
      if (pacer.due()) await pacer.pause();
    }
    for (const { path, target } of facts.links) {
      manifest.set(path, linkMark(target));
    }
    return { digest: manifestDigest(manifest), manifest };
  }

  async #read(
    root: string,
    file: FileFact,
    pacer: Pacer,
  ): Promise<string> {
    const begun = this.#kept.begin();
    const digest = await digestOf(joined(root, file.path), file.size, pacer);
    if (digest === undefined) return "unreadable";
    this.#kept.keep(file, digest, begun);
    return digest;
  }
}

/** The mark of a link in a manifest. */
function linkMark(target: string): string {
  return `link:${target}`;
}

/** The digest of a manifest, whatever order it was filled in. */
export function manifestDigest(manifest: Manifest): string {
  const files = [...manifest].sort(([a], [b]) => byCodeUnit(a, b));
  return sha256(canonicalJson({ version: 1, files }));
}

/** The digest of a file's bytes; undefined when it cannot be read. */
async function digestOf(
  path: string,
  size: number,
  pacer: Pacer,
): Promise<string | undefined> {
  let fd: number | undefined;
  try {
    // Something else may stand in the file's place since the look.
    fd = openSync(path, SAFE_READ);
    if (!fstatSync(fd).isFile()) return undefined;
    const hash = createHash("sha256");
    const buffer = new Uint8Array(Math.min(Math.max(size, 1), CHUNK));
    for (;;) {
      const length = readSync(fd, buffer);
      if (length === 0) return `sha256:${hash.digest("hex")}`;
      hash.update(buffer.subarray(0, length));
      if (pacer.due()) await pacer.pause();
    }
  } catch {
    // The script runs as this account: it cannot read the file either.
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
