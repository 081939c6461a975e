/** MCP servers that skills declare: as declared, as granted, as running. */

/** A server as its skill declares it. */
export interface DeclaredServer {
  /** Name of the skill as served. */
  readonly skill: string;
  readonly name: string;
  readonly transport:
    | {
      readonly kind: "stdio";
      readonly command: string;
      readonly args: readonly string[];
      /** As declared; values may hold `${VAR}`. Only names are ever shown. */
      readonly env: Readonly<Record<string, string>>;
    }
    | {
      readonly kind: "http";
      readonly url: string;
      /** As declared; values may hold `${VAR}`. Only names are ever shown. */
      readonly headers: Readonly<Record<string, string>>;
    };
  /**
   * `sha256:<hex>` of command, arguments, url, names of headers and variables,
   * and the bundle. Undefined: the bundle cannot be looked at, so nothing pins it.
   */
  readonly digest: string | undefined;
}

/** A declared server and what the owner says to it. */
export interface ServerState {
  readonly declared: DeclaredServer;
  /**
   * `suspended`: the row pins another digest; `unavailable`: granted, and it
   * cannot start here.
   */
  readonly state: "not-granted" | "suspended" | "unavailable" | "ready";
  /** In words: what is missing, what changed. Undefined when ready. */
  readonly why: string | undefined;
  /** In words: the layer it starts in, or that it is unfenced. */
  readonly fence: string | undefined;
}

/** A tool of a declared server: a stranger's words, capped. */
export interface UpstreamTool {
  readonly name: string;
  readonly description: string | undefined;
  readonly inputSchema: unknown;
  /** The owner's row lists it: it needs no preview. */
  readonly trusted: boolean;
}

/** What a declared server offers. */
export interface UpstreamTools {
  readonly tools: readonly UpstreamTool[];
  /** `sha256:<hex>` of the list as the server gave it: `tools` of a row. */
  readonly digest: string;
  /** What was cut or left out, in words. */
  readonly notes: readonly string[];
}

/** What a call would do, before it does. JSON-safe; the digest binds it. */
export interface UpstreamPlan {
  readonly skill: string;
  readonly server: string;
  readonly tool: string;
  /** Command line, or the address. */
  readonly reaches: string;
  /** One sentence each: reads, writes, reaches, is handed. */
  readonly permissions: readonly string[];
  readonly notes: readonly string[];
  /** Names only. */
  readonly env: readonly string[];
  readonly argumentsSha256: string;
  /** What the owner's row pins: the declaration, and the list of tools. */
  readonly serverDigest: string;
  readonly toolsDigest: string;
  /** The row lists the tool as trusted: no preview is asked for. */
  readonly trusted: boolean;
  /** `sha256:<hex>` over the canonical JSON of everything else. */
  readonly digest: string;
}

/** What a declared server's tool answered: a stranger's text, capped. */
export interface UpstreamAnswer {
  readonly isError: boolean;
  readonly content: readonly unknown[];
  readonly structuredContent: Readonly<Record<string, unknown>> | undefined;
  /** What was cut or left out, in words. */
  readonly notes: readonly string[];
}
