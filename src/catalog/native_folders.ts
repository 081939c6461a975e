/** Where clients keep skills of their own. Pure. */

import { join } from "node:path";

/** A folder of skills that a client reads by itself. */
export interface NativeFolder {
  /** Absolute. */
  readonly path: string;
  /** As messages name it: below `~` or `.`, or absolute. */
  readonly label: string;
}

/** Where folders are looked for; undefined where that is not known. */
export interface NativePlaces {
  readonly home: string | undefined;
  readonly cwd: string | undefined;
}

/** Folders of one client: below the working directory, the home, the system. */
interface ClientFolders {
  /** In its name, as it tells it; lower case. */
  readonly known: RegExp;
  readonly project: readonly string[];
  readonly user: readonly string[];
  readonly system?: readonly string[];
}

const CLAUDE = ".claude/skills";
const AGENTS = ".agents/skills";

/** By client. One that reads no folder has empty lists. */
const CLIENTS: readonly ClientFolders[] = [
  // Its desktop application and its web site read none.
  { known: /^claude-(?:ai|desktop)/, project: [], user: [] },
  { known: /claude/, project: [CLAUDE], user: [CLAUDE] },
  {
    known: /codex/,
    project: [AGENTS],
    user: [AGENTS, ".codex/skills"],
    system: ["/etc/codex/skills"],
  },
  {
    known: /gemini/,
    project: [".gemini/skills", AGENTS],
    user: [".gemini/skills", AGENTS],
  },
  {
    known: /opencode/,
    project: [".opencode/skills", CLAUDE, AGENTS],
    user: [".config/opencode/skills", ".opencode/skills", CLAUDE, AGENTS],
  },
  {
    known: /cursor/,
    project: [".cursor/skills", AGENTS, CLAUDE],
    user: [".cursor/skills", AGENTS, CLAUDE],
  },
  {
    known: /copilot|visual studio code|vscode/,
    project: [".github/skills", CLAUDE, AGENTS],
    user: [".copilot/skills", CLAUDE, AGENTS],
  },
  {
    known: /cline/,
    project: [".cline/skills", ".clinerules/skills", CLAUDE, AGENTS],
    user: [".cline/skills", AGENTS],
  },
  {
    known: /goose/,
    project: [AGENTS],
    user: [".config/agents/skills", AGENTS],
  },
];

/**
 * The folders that a client of this name reads; all known ones for a client
 * that is not known, or has not said its name.
 */
export function nativeFolders(
  client: string | undefined,
  { home, cwd }: NativePlaces,
): NativeFolder[] {
  const name = client?.toLowerCase() ?? "";
  const one = CLIENTS.find(({ known }) => known.test(name));
  const found = new Map<string, NativeFolder>();
  for (const { project, user, system = [] } of one ? [one] : CLIENTS) {
    for (
      const [base, short, folders] of [
        [cwd, ".", project],
        [home, "~", user],
        ["/", "", system],
      ] as const
    ) {
      if (base === undefined) continue;
      for (const folder of folders) {
        const path = join(base, folder);
        if (found.has(path)) continue;
        const label = short === "" ? folder : `${short}/${folder}`;
        found.set(path, { path, label });
      }
    }
  }
  return [...found.values()];
}
