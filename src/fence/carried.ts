/**
 * What the compiled executable carries. In source form nothing; the build
 * replaces the constant.
 */

/** The script runtime inside the executable, and the bundled skills. */
export interface Carried {
  /** A byte range of the executable, or a file of its virtual file system. */
  readonly kind: "appended" | "included";
  /** Bytes before the runtime; 0 when included. */
  readonly offset: number;
  /** Bytes of the runtime. */
  readonly size: number;
  /** Hex, without prefix. */
  readonly sha256: string;
  /** Deno version of the runtime. */
  readonly version: string;
  /** `treeDigest` of the bundled skills directory. */
  readonly skillsSha256: string;
}

/** What this executable carries; undefined when it runs from source. */
export const CARRIED: Carried | undefined = undefined;
