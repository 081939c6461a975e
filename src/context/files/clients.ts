/** Which context files clients load by themselves. Pure. */

import { lastSegment } from "../../base/place.ts";
import { isAt } from "./dialects.ts";

/** What one client loads without being asked. */
interface ClientFiles {
  /** In its name, as it tells it; lower case. */
  readonly known: RegExp;
  /**
   * Exact spellings, below the workspace. Only what every version loads without
   * a setting: a file that is delivered twice costs room, one that is left out
   * by mistake is lost.
   */
  readonly files: readonly string[];
  /** It also loads files of these names from directories below. */
  readonly nested: boolean;
  /** Only the first of `files` that is there is loaded. */
  readonly firstOnly?: boolean;
  /** Where that is said. */
  readonly source: string;
}

const CLIENTS: readonly ClientFiles[] = [
  {
    // Its desktop application and its web site load none.
    known: /^claude-(?:ai|desktop)/,
    files: [],
    nested: false,
    source: "support.claude.com: no project directory",
  },
  {
    // AGENTS.md only since 2.1.277, and only where there is no CLAUDE.md.
    known: /claude/,
    files: ["CLAUDE.md"],
    nested: true,
    source: "code.claude.com/docs/en/memory",
  },
  {
    known: /codex/,
    files: ["AGENTS.override.md", "AGENTS.md"],
    nested: false,
    firstOnly: true,
    source: "developers.openai.com/codex/guides/agents-md",
  },
  {
    known: /gemini/,
    files: ["GEMINI.md"],
    nested: true,
    source: "geminicli.com/docs/cli/gemini-md",
  },
  {
    known: /opencode/,
    files: ["AGENTS.md", "CLAUDE.md"],
    nested: false,
    firstOnly: true,
    source: "opencode.ai/docs/rules",
  },
  {
    known: /cursor/,
    files: ["AGENTS.md", ".cursorrules", ".cursor/rules/*.mdc"],
    nested: true,
    source: "cursor.com/docs/context/rules",
  },
  {
    known: /copilot|visual studio code|vscode/,
    files: [".github/copilot-instructions.md", "AGENTS.md"],
    nested: false,
    source:
      "code.visualstudio.com/docs/copilot/customization/custom-instructions; docs.github.com: custom instructions for Copilot CLI",
  },
  {
    known: /cline/,
    files: [".clinerules", ".clinerules/*.md", "AGENTS.md"],
    nested: true,
    source: "docs.cline.bot/features/cline-rules",
  },
  {
    known: /goose/,
    files: ["AGENTS.md"],
    nested: false,
    source: "goose documentation: context files",
  },
  {
    known: /^zed/,
    files: [
      ".rules",
      ".cursorrules",
      ".windsurfrules",
      ".clinerules",
      ".github/copilot-instructions.md",
      "AGENT.md",
      "AGENTS.md",
      "CLAUDE.md",
      "GEMINI.md",
    ],
    nested: false,
    firstOnly: true,
    source: "zed.dev/docs/ai/rules",
  },
  {
    known: /windsurf/,
    files: ["AGENTS.md", "agents.md", ".windsurfrules"],
    nested: true,
    source: "docs.windsurf.com/windsurf/cascade/agents-md",
  },
  {
    known: /hermes/,
    files: [
      ".hermes.md",
      "HERMES.md",
      "AGENTS.override.md",
      "AGENTS.md",
      "CLAUDE.md",
      ".cursorrules",
    ],
    nested: false,
    firstOnly: true,
    source:
      "hermes-agent.nousresearch.com/docs/user-guide/features/context-files",
  },
  {
    known: /fast-agent/,
    files: ["AGENTS.md"],
    nested: false,
    source: "fast-agent documentation: its default instruction",
  },
  {
    // Chat windows: nobody works in a directory there.
    known: /lm.?studio|chatgpt|openai-mcp/,
    files: [],
    nested: false,
    source: "lmstudio.ai/docs, developers.openai.com: no project directory",
  },
];

/** Tells of files of the workspace that a client works in. */
export type LoadsItself = (file: {
  /** Below the workspace, `/`-separated. */
  readonly path: string;
  readonly scope: string;
}) => boolean;

/**
 * What the client of this name (from `clientInfo`) loads by itself, given what
 * is there in the workspace's root; nothing for a client that is not known.
 */
export function loadedBy(
  client: string | undefined,
  isThere: (path: string) => boolean,
): LoadsItself {
  const name = client?.toLowerCase() ?? "";
  const row = CLIENTS.find(({ known }) => known.test(name));
  if (row === undefined) return () => false;
  const { nested, firstOnly = false } = row;
  const first = row.files.find(isThere);
  const files = !firstOnly ? row.files : first === undefined ? [] : [first];
  return ({ path, scope }) =>
    files.some((file) =>
      isAt(path, file) ||
      nested && scope !== "" && lastSegment(path) === file
    );
}
