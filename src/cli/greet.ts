/** What somebody reads who starts the server by hand. */

import { visible } from "../base/text.ts";
import { directoryJson, isPlain } from "../config/directory.ts";
import type { Config, PromptSource } from "../config/types.ts";
import type { CliHost } from "./host.ts";
import { ownCommand } from "./own_command.ts";

/** Says on stderr what this is, what may run, and how to set up a client. */
export function greet(host: CliHost, config: Config): void {
  const bundled = config.rootsFrom === "bundled";
  const roots = config.roots.map(({ path }) => visible(path)).join(", ");
  const { command, args } = startWords();
  const snippet = {
    mcpServers: {
      skills: {
        command,
        args: [...args, ...sources(config)],
        env: { MCP_SKILL_RUN: "[]" },
      },
    },
  };
  host.screen.err(`\
skillfence ${host.version}: an MCP server. A client starts it and speaks to it on
standard input and output; this terminal is not one. Ctrl-C ends it.

Skills: ${
    bundled
      ? "the examples that come with it"
      : `${roots} (from ${config.rootsFrom})`
  }
Scripts: ${grantWords(config)}

A client's configuration (many take this shape; "[]" lets no script run):

${
    JSON.stringify(snippet, null, 2).split("\n").map((line) => visible(line))
      .join("\n")
  }

To look around here: skillfence list, check, run, doctor; skillfence --help.
`);
}

/** The flags that look where this server looks, whoever said so to it. */
function sources(config: Config): string[] {
  const roots = config.rootsFrom === "bundled"
    ? ["--skills", "/path/to/your/skills"]
    : config.roots.flatMap((root) =>
      isPlain(root)
        ? ["--skills", root.path]
        : ["--skill-dir", directoryJson(root)]
    );
  return [...roots, ...config.prompts.flatMap(promptFlag)];
}

function promptFlag(source: PromptSource): string[] {
  if (source.kind === "file") return ["--prompt-file", source.file];
  const { directory } = source;
  return [
    "--prompt-dir",
    isPlain(directory) ? directory.path : directoryJson(directory),
  ];
}

function grantWords({ grantText, hosted, runTools }: Config): string {
  if (!runTools) return "none run, --no-run was given.";
  if (grantText !== undefined) return "those in MCP_SKILL_RUN.";
  return hosted
    ? "none run. A host started this server and MCP_SKILL_RUN is not set."
    : "every declared one may run when confirmed. Set MCP_SKILL_RUN to decide which.";
}

function startWords(): { command: string; args: string[] } {
  const [command, ...before] = ownCommand();
  return {
    command,
    args: before.length === 0 ? [] : [...before, "serve"],
  };
}
