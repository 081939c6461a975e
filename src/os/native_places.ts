/** Where this system keeps what a native program needs: read, and never more. */

import { isWithin } from "../base/place.ts";
import { RESOLVER } from "./mounts.ts";
import type { Network } from "./types.ts";

/** Programs and libraries; the last is where NixOS has them. */
const DIRECTORIES: readonly string[] = [
  ...["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"],
  ...["/nix/store", "/run/current-system"],
];

/** Settings of the system that programs fail without. No accounts, no keys. */
const FILES: readonly string[] = [
  ...["/etc/alternatives", "/etc/ld.so.cache", "/etc/localtime"],
  ...["/etc/ssl/certs", "/etc/ssl/openssl.cnf", "/etc/ca-certificates"],
  ...["/etc/pki/tls/certs", "/etc/pki/tls/openssl.cnf", "/etc/pki/ca-trust"],
  "/etc/crypto-policies",
];

/** The system as a native program sees it. Absolute paths. */
export interface NativePlaces {
  /** Real directories, shown as they are. */
  readonly directories: readonly string[];
  /** Links at the top, such as `/bin` to `usr/bin`: place and target. */
  readonly links: readonly (readonly [place: string, target: string])[];
}

/** Looks which there are. */
export function nativePlaces(
  candidates: readonly string[] = DIRECTORIES,
): NativePlaces {
  const directories: string[] = [];
  const links: [string, string][] = [];
  for (const path of candidates) {
    try {
      const info = Deno.lstatSync(path);
      if (info.isDirectory) directories.push(path);
      else if (info.isSymlink) links.push([path, Deno.readLinkSync(path)]);
    } catch {
      // Not on this system.
    }
  }
  return { directories, links };
}

/** Files of the system that are shown beside them, where they are there. */
export function nativeFiles(network: Network): readonly string[] {
  return network === "open" ? [...FILES, ...RESOLVER] : FILES;
}

/** Whether a real path is shown anyway. */
export function isOfSystem(path: string, places: NativePlaces): boolean {
  return places.directories.some((directory) => isWithin(path, directory));
}
