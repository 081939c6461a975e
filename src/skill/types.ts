/** What a skill says about itself, read from text and nothing else. */

import type { Limits } from "../config/types.ts";

/** A host that a skill declares or a grant admits. */
export interface HostPattern {
  /** The normalised spelling, e.g. `*.example.com:8443`, `[::1]`, `10.0.0.1`. */
  readonly text: string;
  readonly kind: "name" | "wildcard" | "ipv4" | "ipv6";
  /** Lower-case punycode name (the base name for a wildcard) or bare address. */
  readonly host: string;
  /** Ports admitted; `[443, 80]` when the pattern names none. */
  readonly ports: readonly number[];
}

/** One entry of `mcp-host.run`. */
export interface ScriptDeclaration {
  /** Plain relative path inside the bundle, already past the string rule. */
  readonly script: string;
  /** As written; whether it can run here is decided by the fence. */
  readonly interpreter: string;
  /** Names the script asks for, deduplicated, ungrantable ones removed. */
  readonly env: readonly string[];
  /** Milliseconds, 1 to 300,000. */
  readonly timeoutMs: number;
  /** The script asks for an owner's directory, readable or writable. */
  readonly workspace?: "read" | "write";
  /** The script asks for the network itself, not for the run's proxy. */
  readonly sockets: boolean;
  /** Bounds the script asks for; the rest are the defaults. */
  readonly limits: LimitWishes;
}

/** Some bounds on a run, by the words and in the units of `Limits`. */
export type LimitWishes = Partial<Limits>;

/** A variable the skill proposes for the server's environment. */
export interface ServerVariable {
  readonly name: string;
  readonly description?: string;
  readonly secret: boolean;
  readonly required: boolean;
  /** secret: the exact hosts its value may be sent to; it is held back else. */
  readonly hosts?: readonly HostPattern[];
}

/** The `mcp-host` block; absent blocks are the empty declaration. */
export interface Declaration {
  readonly scripts: readonly ScriptDeclaration[];
  readonly variables: readonly ServerVariable[];
  readonly egress: readonly HostPattern[];
}

/** One value that a task skill asks for. */
export interface TaskInput {
  /** An identifier: `${name}` in the body stands for its value. */
  readonly name: string;
  readonly description: string | undefined;
  readonly required: boolean;
  /** Values that are proposed; others are accepted too. */
  readonly choices: readonly string[];
}

/**
 * What makes a skill come up, as its frontmatter says; nothing is compiled yet.
 * `catalogue`: nothing but being chosen; `always`: it is part of the context.
 */
export type Activation =
  | { readonly kind: "catalogue" }
  | { readonly kind: "always" }
  | {
    readonly kind: "keyword";
    /** As written; `re:` before a regular expression. */
    readonly keywords: readonly string[];
    /** Matches inside code blocks count too. */
    readonly inCode: boolean;
  }
  | {
    readonly kind: "task";
    readonly keywords: readonly string[];
    readonly inCode: boolean;
    readonly inputs: readonly TaskInput[];
  }
  | {
    readonly kind: "path";
    /** gitignore patterns, as written. */
    readonly globs: readonly string[];
  };

/** Something worth telling about a SKILL.md, before it has a place on disk. */
export interface Finding {
  readonly severity: "error" | "warning" | "note";
  /** Stable kebab-case word, e.g. `malformed-frontmatter`, `declaration`. */
  readonly reason: string;
  readonly detail: string;
  /** What to do about it. */
  readonly hint: string;
  /** 1-based position in SKILL.md. */
  readonly line?: number;
  readonly column?: number;
}

/** A SKILL.md, read. */
export interface SkillDocument {
  /** Undefined when there is none or it does not parse: instructions only. */
  readonly frontmatter: Readonly<Record<string, unknown>> | undefined;
  /** `name` as the author wrote it; it never names anything. */
  readonly claimedName: string | undefined;
  readonly description: string | undefined;
  readonly whenToUse: string | undefined;
  readonly declaration: Declaration;
  readonly activation: Activation;
  /** `disable-model-invocation`: models are not offered it. */
  readonly modelMayNotInvoke: boolean;
  /** Everything after the closing fence, verbatim (the whole text without one). */
  readonly body: string;
  readonly findings: readonly Finding[];
}
