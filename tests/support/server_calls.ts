/** Tools called in this process, over the real engine or parts of it. */

import type { Flags } from "../../src/config/read_config.ts";
import { callTool } from "../../src/server/call_tool.ts";
import type { CallToolResult } from "@modelcontextprotocol/server";
import { createEngine } from "../../src/server/engine.ts";
import type { Engine } from "../../src/server/engine_types.ts";
import type { FormDoor } from "../../src/server/forms.ts";
import { createLogger } from "../../src/server/log.ts";
import { Progress } from "../../src/server/progress.ts";
import { createSession, type Session } from "../../src/server/session.ts";
import { TOOLS } from "../../src/server/tool_table.ts";
import type { ToolAnswer } from "./clients.ts";
import { setup } from "./config.ts";
import { type Entry, makeTree, type Tree } from "./tree.ts";

/** What the server is made of. */
export interface ServerSetup {
  /** Below the one root. */
  readonly files: Readonly<Record<string, Entry>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly flags?: Flags;
  /** Replaces parts of the engine. */
  readonly change?: (engine: Engine) => Partial<Engine>;
  /** Clock of the session, in milliseconds. */
  readonly now?: () => number;
}

/** How one call differs from an ordinary one. */
export interface ServerCallOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (count: number, message: string) => void;
  readonly session?: Session;
  /** How the user is asked. Default: not at all. */
  readonly forms?: FormDoor;
}

/** A server without a connection. Dispose of it. */
export interface TestServer extends AsyncDisposable {
  readonly root: string;
  readonly tree: Tree;
  readonly engine: Engine;
  /** Lines of the log, at level debug. */
  readonly log: readonly string[];
  call(
    name: string,
    args?: unknown,
    options?: ServerCallOptions,
  ): Promise<ToolAnswer>;
}

/** Makes the tree and the server. */
export async function openServer(options: ServerSetup): Promise<TestServer> {
  const tree = await makeTree({ "root": { dir: true } });
  await tree.write(
    Object.fromEntries(
      Object.entries(options.files).map(([path, entry]) => [
        `root/${path}`,
        entry,
      ]),
    ),
  );
  const root = tree.path("root");
  const { config } = setup({
    env: {
      SKILLS_DIR: root,
      // Never the cache of whoever runs the tests.
      SKILLFENCE_CACHE_DIR: tree.path("cache"),
      PATH: Deno.env.get("PATH") ?? "",
      ...options.env,
    },
    flags: options.flags,
  });
  const made = createEngine(config);
  const engine: Engine = { ...made, ...options.change?.(made) };
  const usual = createSession(options.now);
  const lines: string[] = [];
  const log = createLogger("debug", (line) => lines.push(line));
  return {
    root,
    tree,
    engine,
    log: lines,
    call: async (name, args = {}, options = {}) => {
      const { signal, onProgress, session, forms } = options;
      const tool = TOOLS.find((each) => each.name === name)!;
      const result = await callTool(tool, args, {
        config,
        session: session ?? usual,
        log,
        engine: () => Promise.resolve(engine),
        progress: new Progress(
          onProgress && ((count, message) => {
            onProgress(count, message);
            return Promise.resolve();
          }),
        ),
        signal: signal ?? new AbortController().signal,
        forms,
      }) as CallToolResult;
      return {
        isError: result.isError === true,
        // An answer that asks the user has none.
        text: (result.content ?? []).map((block) =>
          block.type === "text" ? block.text : ""
        ),
        structured: result.structuredContent,
        raw: result,
      };
    },
    [Symbol.asyncDispose]: async () => {
      made.runner.closeSync();
      await tree[Symbol.asyncDispose]();
    },
  };
}

/** SKILL.md of a skill that declares scripts. */
export function skillText(options: {
  readonly description?: string;
  /** YAML of the block below `mcp-host:`, two spaces in. */
  readonly block?: string;
  readonly body?: string;
} = {}): string {
  const { description = "A skill.", block, body = "Do it.\n" } = options;
  const host = block === undefined ? "" : `mcp-host:\n  version: 1\n${block}`;
  return `---\ndescription: ${
    JSON.stringify(description)
  }\n${host}---\n${body}`;
}

/** `run:` entries of a block, for node scripts. */
export function runs(...scripts: readonly string[]): string {
  const entries = scripts.map((script) =>
    `    - { script: ${script}, interpreter: node, timeout: 30 }\n`
  );
  return `  run:\n${entries.join("")}`;
}
