/** Where the targets really lie, which paths matter there, and how it goes. */

import { basename, dirname } from "node:path";
import { isWithin, joined } from "../base/place.ts";
import { type ScanFs, whyFailed } from "../catalog/scan_fs.ts";
import type { WatchEffects } from "./effects.ts";
import { Interest } from "./interest.ts";
import { type WatchTarget, workspaceTargets } from "./targets.ts";
import type { WatchState } from "./types.ts";

/** One target as it was last seen. */
interface Ground {
  target: WatchTarget;
  /** Its real path, and more directories that prompt files really lie in. */
  tops: readonly string[];
  /** What was seen there, to notice that it is another. */
  seen: string;
  /** Why it is not there. */
  missing: string | undefined;
  /** Why it itself is not watched. */
  unarmed: string | undefined;
  /** Why not everything below it is watched. */
  uncovered: string | undefined;
  interest: Interest | undefined;
  /** Real paths of the prompt files that count. */
  files: ReadonlySet<string> | undefined;
}

/** All targets. */
export class Grounds {
  #grounds: readonly Ground[];
  readonly #effects: Pick<WatchEffects, "realPath" | "identity">;
  readonly #fs: ScanFs;

  constructor(
    targets: readonly WatchTarget[],
    effects: Pick<WatchEffects, "realPath" | "identity">,
    fs: ScanFs,
  ) {
    this.#effects = effects;
    this.#fs = fs;
    this.#grounds = targets.map(groundOf);
  }

  /** Looks where every watched target lies now; true when any has moved. */
  look(): boolean {
    let moved = false;
    for (const ground of this.#grounds) {
      if (ground.target.watch && this.#lookAt(ground)) moved = true;
    }
    return moved;
  }

  /** Notes that a root lies elsewhere; true when that is news. */
  relocate(root: number, path: string): boolean {
    const ground = this.#grounds.find(({ target }) => target.root === root);
    if (ground === undefined || ground.target.path === path) return false;
    ground.target = { ...ground.target, path };
    return true;
  }

  /** Takes these workspaces in place of those before; true when that is news. */
  workspaces(workspaces: readonly string[]): boolean {
    const wanted = workspaceTargets(workspaces);
    const isOurs = ({ target }: Ground) => target.workspace !== undefined;
    const before = this.#grounds.filter(isOurs);
    if (
      before.length === wanted.length &&
      before.every(({ target }, i) => target.path === wanted[i]!.path)
    ) return false;
    this.#grounds = [
      ...this.#grounds.filter((ground) => !isOurs(ground)),
      ...wanted.map((target) =>
        before.find((ground) => ground.target.path === target.path) ??
          groundOf(target)
      ),
    ];
    return true;
  }

  /** Directories that are watched whatever scans find, each once. */
  tops(): readonly string[] {
    return [...new Set(this.#grounds.flatMap(({ tops }) => tops))];
  }

  /** Whether this directory is one of them. */
  isTop(path: string): boolean {
    return this.#grounds.some(({ tops }) => tops.includes(path));
  }

  /** Real paths of the watched directories of skills. */
  rootTops(): readonly string[] {
    return this.#grounds.flatMap(({ target, tops }) =>
      holdsSkills(target) ? tops : []
    );
  }

  /** Whether an event at this path may be about something served. */
  matters(path: string): boolean {
    return this.#grounds.some((ground) => this.#mattersTo(ground, path));
  }

  /** Ignore files are read again. */
  forget(): void {
    for (const { interest } of this.#grounds) interest?.forget();
  }

  /** The tops were armed, but for these. */
  opened(failed: ReadonlyMap<string, string>): void {
    for (const ground of this.#grounds) {
      ground.unarmed = ground.tops.map((top) => failed.get(top))
        .find((reason) => reason !== undefined);
      ground.uncovered = undefined;
    }
  }

  /** What lies below was covered, but for these directories. */
  below(failed: ReadonlyMap<string, string>): void {
    for (const ground of this.#grounds) {
      const [reason] = !holdsSkills(ground.target)
        ? []
        : [...failed].filter(([path]) =>
          ground.tops.some((top) => isWithin(path, top))
        ).map(([, why]) => why);
      ground.uncovered = reason;
    }
  }

  /** Nothing is watched any more. */
  lost(reason: string): void {
    for (const ground of this.#grounds) ground.unarmed = reason;
  }

  /** Whether any target that is there is not wholly watched. */
  failing(): boolean {
    return this.topsFailing() ||
      this.#grounds.some(({ uncovered }) => uncovered !== undefined);
  }

  /** Whether any target that is there is not itself watched. */
  topsFailing(): boolean {
    return this.#grounds.some(({ target, missing, unarmed }) =>
      target.watch && missing === undefined && unarmed !== undefined
    );
  }

  /** The state of each target, in their order. */
  states(running: boolean): WatchState[] {
    // Nobody said that a workspace has all of its folders.
    const shown = this.#grounds.filter(({ target, missing }) =>
      target.workspace === undefined || missing === undefined
    );
    return shown.map(({ target, missing, unarmed, uncovered }) => {
      const { path, root, folder } = target;
      const what = { path, root, ...(folder === undefined ? {} : { folder }) };
      if (!target.watch || !running) return { ...what, state: "off" };
      const reason = missing ?? unarmed ?? uncovered;
      return reason === undefined
        ? { ...what, state: "watching" }
        : { ...what, state: "degraded", reason };
    });
  }

  #mattersTo(ground: Ground, path: string): boolean {
    if (ground.interest !== undefined) return ground.interest.matters(path);
    if (ground.tops.includes(path)) return true;
    if (ground.files !== undefined) return ground.files.has(path);
    const name = basename(path);
    return ground.tops.includes(dirname(path)) && !name.startsWith(".") &&
      name.endsWith(".md");
  }

  #lookAt(ground: Ground): boolean {
    const before = ground.seen;
    try {
      const real = this.#effects.realPath(ground.target.path);
      const { workspace } = ground.target;
      // A scan refuses it too.
      if (
        workspace !== undefined &&
        !isWithin(real, this.#effects.realPath(workspace))
      ) throw new Deno.errors.NotFound("it leads out of its workspace");
      const files = this.#files(ground.target, real);
      const tops = [...new Set([real, ...[...files ?? []].map(dirname)])];
      ground.seen = tops.map((top) => `${top}\0${this.#effects.identity(top)}`)
        .join("\0");
      ground.tops = tops;
      ground.files = files;
      ground.missing = undefined;
      if (holdsSkills(ground.target) && ground.seen !== before) {
        ground.interest = new Interest(real, this.#fs);
      }
    } catch (error) {
      ground.seen = "";
      ground.tops = [];
      ground.files = undefined;
      ground.interest = undefined;
      ground.missing = `${
        whyMissing(error)
      }; the server looks for it every second`;
    }
    return ground.seen !== before;
  }

  /** The prompt files' own paths, and where links lead. */
  #files(
    { files }: WatchTarget,
    real: string,
  ): ReadonlySet<string> | undefined {
    if (files === undefined) return undefined;
    const paths = new Set<string>();
    for (const file of files) {
      paths.add(joined(real, basename(file)));
      try {
        paths.add(this.#effects.realPath(file));
      } catch {
        // Not there now: the directory tells when it comes.
      }
    }
    return paths;
  }
}

function groundOf(target: WatchTarget): Ground {
  return {
    target,
    tops: [],
    seen: "",
    missing: undefined,
    unarmed: "it is not watched yet",
    uncovered: undefined,
    interest: undefined,
    files: undefined,
  };
}

/** Whether scans of skills read it; others hold prompts. */
function holdsSkills({ root, workspace }: WatchTarget): boolean {
  return root !== undefined || workspace !== undefined;
}

function whyMissing(error: unknown): string {
  return error instanceof Deno.errors.NotFound
    ? "the directory does not exist"
    : error instanceof Deno.errors.NotADirectory
    ? "it is not a directory"
    : `the directory cannot be read: ${whyFailed(error)}`;
}
