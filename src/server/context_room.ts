/** What comes up by itself, loaded when it is first needed. */

import { ofKey, once } from "./kept.ts";
import type { Skill, Snapshot } from "../catalog/types.ts";
import type { Config } from "../config/types.ts";
import type { OfferedCommand } from "../context/render.ts";
import {
  type ContextPlaces,
  contextPlaces,
} from "../context/context_places.ts";
import type { ContextStore } from "../context/context_files.ts";
import type {
  ContextFiles,
  FoundCommand,
  Hit,
  Rendered,
  SkillProblem,
  Triggers,
} from "../context/types.ts";
import type {
  ContextDocument,
  ContextDoor,
  RenderRequest,
  RuleHit,
} from "./context_door.ts";
import { CompiledTriggers, realPath } from "./compiled_triggers.ts";
import type { RenderRoom } from "./render_room.ts";

/** In place of a digest where there is no document. */
const NONE = "";

/** What it is made from. */
export interface ContextParts {
  readonly config: Pick<Config, "contextDialects">;
  /** Directories that are worked in, absolute, the first wins. */
  readonly workspaces: () => Promise<readonly string[]>;
  /** Commands in texts. */
  readonly texts: Pick<
    RenderRoom,
    "commands" | "offered" | "problems" | "render"
  >;
  /** The document is no longer what clients know. */
  readonly onMoved: () => void;
  /** Its files lie in other directories than before. */
  readonly onFound: () => void;
  /** Name of the connected client; undefined: unknown, or none is here. */
  readonly client: () => string | undefined;
}

/** The door to what `src/context/` does. */
export class ContextRoom implements ContextDoor {
  readonly #parts: ContextParts;
  readonly #store: () => Promise<ContextStore>;
  /** Digest of the document that clients know; undefined: nobody asked. */
  #known: string | undefined;
  /** What the newest document was made of; undefined: none was. */
  #found: ContextFiles | undefined;
  readonly #compiled = new CompiledTriggers();

  constructor(parts: ContextParts) {
    this.#parts = parts;
    this.#store = once(async () => {
      const { ContextStore } = await import("../context/context_files.ts");
      return new ContextStore({
        dialects: parts.config.contextDialects,
        workspaces: () => this.workspaces(),
      });
    });
  }

  async workspaces(): Promise<readonly string[]> {
    const real = await Promise.all(
      (await this.#parts.workspaces()).map((path) => realPath(path)),
    );
    return [...new Set(real.filter((path) => path !== undefined))];
  }

  async triggers(snapshot: Snapshot): Promise<Triggers> {
    return await this.#compiled.of(snapshot, await this.workspaces());
  }

  commands(text: string): Promise<readonly FoundCommand[]> {
    return this.#parts.texts.commands(text);
  }

  commandProblems(skill: Skill): Promise<readonly SkillProblem[]> {
    return this.#parts.texts.problems(skill);
  }

  offered(
    skill: Skill,
    text: string,
  ): Promise<readonly OfferedCommand[]> {
    return this.#parts.texts.offered(skill, text);
  }

  render(request: RenderRequest): Promise<Rendered> {
    return this.#parts.texts.render(request);
  }

  async digest(text: string): Promise<string> {
    const { digestOf } = await import("../context/triggers.ts");
    return digestOf({ body: text });
  }

  async block(hit: Hit, content: string): Promise<string> {
    const { extraInfo } = await import("../context/triggers.ts");
    return extraInfo(hit, content);
  }

  async rules(paths: readonly string[]): Promise<readonly RuleHit[]> {
    if (paths.length === 0) return [];
    const workspaces = await this.workspaces();
    if (workspaces.length === 0) return [];
    const { placePath } = await import("../context/triggers.ts");
    const { rulesFor } = await import("../context/context_files.ts");
    const { files } = await (await this.#store()).current(this.#parts.client());
    const hits = new Map<string, RuleHit>();
    for (const given of new Set(paths)) {
      const places = await placePath(given, {
        workspaces,
        windows: Deno.build.os === "windows",
        realPath,
      });
      if (typeof places === "string") continue;
      for (const { workspace, path } of places) {
        for (const file of rulesFor(files, workspace, path)) {
          if (!hits.has(file.realPath)) hits.set(file.realPath, { file, path });
        }
      }
    }
    return [...hits.values()];
  }

  async ruleBlock({ file }: RuleHit): Promise<string> {
    const { ruleInfo } = await import("../context/triggers.ts");
    return ruleInfo(file);
  }

  async document(snapshot: Snapshot): Promise<ContextDocument | undefined> {
    const always = alwaysOn(snapshot);
    const workspaces = await this.workspaces();
    if (workspaces.length === 0 && always.length === 0) {
      this.#learn(NONE);
      return undefined;
    }
    const { CONTEXT_URI, contextText } = await import(
      "../context/context_files.ts"
    );
    const files = await (await this.#store()).current(this.#parts.client());
    const text = contextText(files, always);
    const digest = await this.digest(text);
    await this.#note(files);
    this.#learn(digest);
    return {
      uri: CONTEXT_URI,
      text,
      digest,
      parts: files.files.length + always.length,
      texts: [
        ...files.files.map(({ text }) => text),
        ...always.map(({ body }) => body),
      ],
      files,
    };
  }

  /**
   * Looks again at what clients know; `onMoved` is called when it moved, or
   * when a file of it may have that nobody has asked for yet.
   */
  async look(
    snapshot: Snapshot,
    hints: readonly string[] | undefined,
  ): Promise<void> {
    if (this.#known !== undefined) await this.document(snapshot);
    else if (hints !== undefined && hints.length > 0) {
      const { matters } = await this.places();
      if (hints.some(matters)) this.#parts.onMoved();
    }
  }

  /** Where its files lie, as far as that is known. */
  async places(): Promise<ContextPlaces> {
    // One that is not there is looked for.
    const workspaces = (await this.#parts.workspaces())
      .map(async (path) => await realPath(path) ?? path);
    return contextPlaces({
      workspaces: await Promise.all(workspaces),
      dialects: this.#parts.config.contextDialects,
      found: this.#found,
    });
  }

  #learn(digest: string): void {
    const moved = this.#known !== undefined && this.#known !== digest;
    this.#known = digest;
    if (moved) this.#parts.onMoved();
  }

  async #note(files: ContextFiles): Promise<void> {
    if (this.#found === files) return;
    const before = (await this.places()).directories;
    this.#found = files;
    const after = (await this.places()).directories;
    if (!isSame(before, after)) this.#parts.onFound();
  }
}

function isSame(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.size === b.size && a.isSubsetOf(b);
}

/** Always-on skills, in name order. */
const alwaysOn = ofKey(({ skills }: Snapshot): readonly Skill[] =>
  [...skills.values()].filter(({ activation }) => activation.kind === "always")
);
