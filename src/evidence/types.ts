/** What a run tried, as its result states it. */

/** One thing that was asked for. */
export interface EvidenceEntry {
  /** A path (relative to the skill where it lies in it), host, name; visible. */
  readonly what: string;
  readonly verdict: "allowed" | "denied";
  readonly times: number;
}

/** Hosts reached or refused, with bytes where the proxy saw them. */
export interface NetEntry extends EvidenceEntry {
  readonly bytesOut?: number;
  readonly bytesIn?: number;
  readonly reason?: string;
}

/** Denied entries first, each list distinct and capped. */
export interface Evidence {
  readonly read: readonly EvidenceEntry[];
  readonly write: readonly EvidenceEntry[];
  readonly net: readonly NetEntry[];
  readonly env: readonly EvidenceEntry[];
  readonly sys: readonly EvidenceEntry[];
  readonly run: readonly EvidenceEntry[];
  readonly ffi: readonly EvidenceEntry[];
  readonly import: readonly EvidenceEntry[];
  /** Entries left out of the lists. */
  readonly more: number;
  /** In words: what this record cannot show about this run. */
  readonly blind: readonly string[];
}

/** What a run was allowed, read off its Plan, with real paths. */
export interface AccessRules {
  readonly skillDir: string;
  readonly scratch: string;
  readonly read: readonly string[];
  readonly denyRead: readonly string[];
  readonly write: readonly string[];
  readonly denyWrite: readonly string[];
  /** Names that may be read; the others look unset. */
  readonly env: readonly string[];
  readonly sys: readonly string[];
  /** Items of `--allow-net` and `--deny-net`; `denyAllNet` for a bare deny. */
  readonly net: readonly string[];
  readonly denyNet: readonly string[];
}
