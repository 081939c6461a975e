/** The server's flags as words, and what they come to. */

import type { Flags, PromptFlag, SkillsFlag } from "../config/flags.ts";

/** One flag that takes part in a Config. */
export interface FlagWord {
  /** Without its dashes. */
  readonly name: string;
  /** How help names its value; undefined: it takes none. */
  readonly value: string | undefined;
  readonly meaning: string;
  /** Only `serve` takes it. */
  readonly serves: boolean;
}

/** All of them, in the order in which help prints them. */
export const FLAG_WORDS: readonly FlagWord[] = [
  {
    name: "skills",
    value: "dir",
    meaning: "look for skills in this directory (repeatable)",
    serves: false,
  },
  {
    name: "skill-dir",
    value: "json",
    meaning:
      'the same with filters: {"dir", "include", "ignore", "watch", "flat"} (repeatable)',
    serves: false,
  },
  {
    name: "prompt-file",
    value: "file",
    meaning: "serve this file as a prompt (repeatable)",
    serves: false,
  },
  {
    name: "prompt-dir",
    value: "dir",
    meaning:
      "serve the *.md of this directory as prompts; a path or JSON (repeatable)",
    serves: false,
  },
  {
    name: "workspace",
    value: "dir",
    meaning:
      "also read the skills and context files of this directory (repeatable)",
    serves: false,
  },
  {
    name: "no-run",
    value: undefined,
    meaning: "start nothing for skills: no script, command or declared server",
    serves: false,
  },
  {
    name: "skip-native",
    value: undefined,
    meaning: "leave out skills that the client's own folders hold",
    serves: true,
  },
  {
    name: "poll",
    value: "seconds",
    meaning: "also look at everything this often",
    serves: true,
  },
  {
    name: "http",
    value: "address",
    meaning: "serve over HTTP: 127.0.0.1:8787, [::1]:0 or unix:/path",
    serves: true,
  },
  {
    name: "host",
    value: "name",
    meaning: "accept this Host name (repeatable)",
    serves: true,
  },
  {
    name: "behind-tls-proxy",
    value: undefined,
    meaning: "a proxy with TLS stands before this server",
    serves: true,
  },
  {
    name: "no-token",
    value: undefined,
    meaning: "ask for no token; on loopback only",
    serves: true,
  },
  {
    name: "allow-run",
    value: undefined,
    meaning: "let granted scripts, commands and servers start over HTTP",
    serves: true,
  },
];

/** A flag as it stood, with its value where it takes one. */
export type GivenFlag = readonly [name: string, value: string];

/** What flags come to, in the order in which they stood. */
export function flagsFrom(given: readonly GivenFlag[]): Flags {
  const has = (name: string) => given.some(([word]) => word === name);
  const all = (name: string) =>
    given.filter(([word]) => word === name).map(([, value]) => value);
  return {
    skills: given.flatMap(([name, value]): SkillsFlag[] =>
      name === "skills"
        ? [value]
        : name === "skill-dir"
        ? [{ json: value }]
        : []
    ),
    prompts: given.flatMap(([name, value]): PromptFlag[] =>
      name === "prompt-file"
        ? [{ file: value }]
        : name === "prompt-dir"
        ? [{ dir: value }]
        : []
    ),
    workspaces: all("workspace"),
    noRun: has("no-run"),
    skipNative: has("skip-native"),
    poll: all("poll"),
    http: all("http"),
    hosts: all("host"),
    behindTlsProxy: has("behind-tls-proxy"),
    noToken: has("no-token"),
    allowRun: has("allow-run"),
  };
}
