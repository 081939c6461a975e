/** The owner's word: what may run, with what, and where it may reach. */

import type { HostPattern, ScriptDeclaration } from "../skill/types.ts";

/** One row of `MCP_SKILL_RUN`. */
export interface GrantRow {
  /** Position in the array, for messages. */
  readonly index: number;
  /** A skill's name as served. */
  readonly skill: string;
  readonly script: string;
  /** Variables handed over; omitted and `[]` both mean none. */
  readonly env: readonly GrantedName[];
  /** Undefined: the declared hosts stand. */
  readonly egress: readonly HostPattern[] | undefined;
  /** `sha256:<hex>` of the bundle, as a Plan shows it. */
  readonly bundle: string | undefined;
  /**
   * Absolute directory the owner opens to a script that declares `workspace`;
   * of a skill that comes from a workspace, also that workspace.
   */
  readonly workspace: string | undefined;
  /** The script may have the network itself when it declares `sockets`. */
  readonly sockets: boolean;
}

/** One variable of a row: `"NAME"` or `{"name":…,"hosts":[…],"plain":…}`. */
export interface GrantedName {
  readonly name: string;
  /** Where a held secret's value may be sent; undefined: as declared. */
  readonly hosts: readonly HostPattern[] | undefined;
  /** A held secret may be handed over as it is where no proxy holds it. */
  readonly plain: boolean;
}

/** What was wrong with, or worth saying about, the grant. */
export interface GrantNote {
  readonly severity: "error" | "warning" | "note";
  /** e.g. `grant`, `open-grant`, `grant-unreadable`. */
  readonly reason: string;
  readonly detail: string;
  readonly hint: string;
}

/** Where permission to run comes from. */
export type GrantFrom = "MCP_SKILL_RUN" | "declaration" | "hosted-default";

/** The grant as read. `rows` is empty for the two defaults. */
export interface Grant {
  readonly from: GrantFrom;
  readonly rows: readonly GrantRow[];
  readonly notes: readonly GrantNote[];
}

/** One row of `MCP_SKILL_RENDER`: a command that may run when a text is loaded. */
export interface RenderRow {
  /** Position in the array, for messages. */
  readonly index: number;
  /** A skill's name as served. */
  readonly skill: string;
  /** Word for word as in the text; the first is a script or a host command. */
  readonly command: readonly string[];
  /** `sha256:<hex>` of the bundle; undefined: any. */
  readonly bundle: string | undefined;
  /** Absolute; a skill of a workspace needs it, with `bundle`. */
  readonly workspace: string | undefined;
}

/** `MCP_SKILL_RENDER` as read: no row, nothing runs. */
export interface RenderGrant {
  readonly rows: readonly RenderRow[];
  readonly notes: readonly GrantNote[];
}

/** One row of `MCP_SKILL_MCP`: a declared MCP server that may be started. */
export interface McpRow {
  /** Position in the array, for messages. */
  readonly index: number;
  readonly skill: string;
  readonly server: string;
  /** `sha256:<hex>` of what the skill declares, and of its bundle. */
  readonly digest: string;
  /** `sha256:<hex>` of the server's list of tools. */
  readonly tools: string;
  /** Variables of the server's own environment that are handed over. */
  readonly env: readonly string[];
  /** It may use the network. */
  readonly net: boolean;
  /** Tools that need no preview. */
  readonly trusted: readonly string[];
  /** It may start where the operating system's layer does not hold. */
  readonly unfenced: boolean;
  /** The declared address, repeated: it may be private or plain http. */
  readonly url: string | undefined;
  /** Absolute; a skill of a workspace needs it. */
  readonly workspace: string | undefined;
}

/** `MCP_SKILL_MCP` as read: no row, nothing starts. */
export interface McpGrant {
  readonly rows: readonly McpRow[];
  readonly notes: readonly GrantNote[];
}

/** What one declared script may do: declaration and grant, intersected. */
export interface Permit {
  readonly declared: ScriptDeclaration;
  /** Names that may be handed over. A subset of the declared names. */
  readonly env: readonly string[];
  /** Hosts that may be reached. Admits no (host, port) the declaration does not. */
  readonly egress: readonly HostPattern[];
  /** Accepted bundle digests; undefined when no row pins one. */
  readonly bundles: readonly string[] | undefined;
  /** Absolute directory, when declared and granted. */
  readonly workspace: string | undefined;
  /** Hosts of `egress` that a row named exactly (private addresses need this). */
  readonly exactHosts: readonly HostPattern[];
  /** Standalone without a grant: the skill granted these to itself. */
  readonly selfGranted: boolean;
  /** Declared and granted: the network itself. */
  readonly sockets: boolean;
  /** Those of `env` whose values stay at the run's proxy. */
  readonly secrets: readonly SecretPermit[];
}

/** A variable that is handed over as a placeholder. */
export interface SecretPermit {
  readonly name: string;
  /** Exact hosts, each within `egress`. */
  readonly hosts: readonly HostPattern[];
  /** Who named the hosts. */
  readonly chosenBy: "author" | "owner";
  /** The value itself may be handed over where no proxy is in force. */
  readonly plain: boolean;
}
