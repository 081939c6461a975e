/** Waiting for a scan, and saying how far it is. */

import type { ProgressListener } from "../catalog/catalog.ts";
import type { ScanProgress } from "../catalog/scan.ts";
import type { Progress } from "./progress.ts";

/** Waits for a scan; `start` is given what to call with its progress. */
export async function whileScanning<T>(
  progress: Progress,
  start: (heard: ProgressListener) => Promise<T>,
): Promise<T> {
  let latest: ScanProgress | undefined;
  return await progress.during(
    start((now) => latest = now),
    () => scanWords(latest),
  );
}

function scanWords(now: ScanProgress | undefined): string {
  if (now === undefined) return "looking for skills";
  return now.total === 0
    ? `looking for skills: ${now.directories} directories walked`
    : `reading skills: ${now.skills} of ${now.total}`;
}
