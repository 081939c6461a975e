/** What one hostile script is, and what must be seen when it runs. */

import type { AttackText, Target } from "../../../src/cli/attack_text.ts";
import { DEEP_ATTACKS } from "../../../src/cli/deep_test.ts";
import type { RunResult } from "../../../src/fence/types.ts";
import type { Printed } from "../../../src/cli/attack_verdict.ts";
import type { Mode } from "./modes.ts";
import type { Scene } from "./scene.ts";

export { attempt, followedBy } from "../../../src/cli/attack_text.ts";

/** How the control shows that the attack is a real one. */
export type Control =
  /** The same script, its target moved inside the skill, gets through the fence. */
  | "inside"
  /** The same script, granted what `granted` says, gets through the fence. */
  | "granted"
  /** Nothing in the product can grant it: it gets through bare `deno run -A`. */
  | "bare"
  /** The same where the test is root; no other account can do it anyway. */
  | "bare as root"
  /** It cannot work on this runtime at all; `none` says why. */
  | { readonly none: string };

/** What a script aims at; beyond those of the product's own test: */
export type TestTarget =
  | Target
  /** A CommonJS module outside the skill, below a `node_modules` folder. */
  | "node_modules"
  /** The number of a process of the scripts' own account. */
  | "process"
  /** `127.0.0.1:port` of a resolver that counts what it is asked. */
  | "resolver"
  /** As `server`, but of WebSockets. */
  | "websocket"
  /** As `server`, whose paths `to-...` lead elsewhere; only that is counted. */
  | "redirects"
  /** As `server`, which counts and answers nothing but hidden requests. */
  | "requests"
  /** A server that counts the requests which carry the secret. */
  | "secrets";

/** What the skill of an attack declares, besides the script itself. */
export interface Declares {
  /** `__HOST__` stands for the host and port of the target. */
  readonly egress?: readonly string[];
  readonly env?: readonly string[];
  readonly sockets?: true;
  /** Seconds. */
  readonly timeout?: number;
  /** A YAML map of bounds. */
  readonly limits?: string;
  /** Lines of YAML below `mcp-host`, as they are. */
  readonly more?: string;
}

/** One hostile script with its surroundings and its control. */
export interface Attack extends AttackText<TestTarget> {
  /** A row of kinds.md. */
  readonly kind: string;
  readonly control: Control;
  readonly declares?: Declares;
  /**
   * Fields of the one row of the grant, `__HOST__` as above; without any the
   * declaration stands.
   */
  readonly grant?: Readonly<Record<string, unknown>>;
  /** What the control is granted; by default the target's host, exactly. */
  readonly granted?: Pick<Attack, "declares" | "grant" | "source">;
  /** The mode that the control is for, where it is not `flags`. */
  readonly controlIn?: Mode;
  /** Variables of the server. */
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  /** Name of the directory that holds the skills. */
  readonly root?: string;
  /** What is done to the surroundings before the Plan is made. */
  readonly before?: (at: Scene) => Promise<void>;
  /** What another process does between the Plan and the run. */
  readonly between?: (at: Scene) => Promise<void>;
  /** What happens after each of the runs. */
  readonly after?: (at: Scene) => Promise<void>;
  /** Whether the effect is there, whatever the script says. */
  readonly breached?: (at: Scene) => boolean | Promise<boolean>;
  /** Codes of the refusals that hold it. */
  readonly refused?: readonly string[];
  /**
   * For a script that makes no report: whether it was held, by how it ended.
   * Undefined: judged by what it printed.
   */
  readonly heldBy?: (result: RunResult, printed: Printed) => boolean;
  /** Modes in which it means nothing. */
  readonly notIn?: readonly Mode[];
  /** The script runs as root, as where root cannot change its account. */
  readonly asRoot?: true;
  /** Under Landlock alone, newer kernels hold it only. */
  readonly scoped?: true;
  /** It needs what only Linux has. */
  readonly linux?: true;
  /** Flags of the bare control, beyond `-A`. */
  readonly bare?: readonly string[];
  /** Reads files past the flags when it is the main module. */
  readonly graph?: true;
}

/** The text of one of the product's own hostile scripts. */
export function deep(id: string): AttackText {
  const found = DEEP_ATTACKS.find((one) => one.id === id);
  if (found === undefined) throw new Error(`the product tries no ${id}`);
  return found;
}
