/** What the door to declared servers is put together from. */

import type { Result } from "../base/refusal.ts";
import type { FileDigests } from "../catalog/file_digests.ts";
import type { Snapshot } from "../catalog/types.ts";
import type { Config } from "../config/types.ts";
import type { Clock } from "../fence/clock.ts";
import type { HardLimits } from "../fence/hard_limits.ts";
import type { OsState } from "../fence/os_layer.ts";
import type { McpGrant } from "../grant/types.ts";
import type { Account } from "../os/types.ts";
import type { UpstreamSettings } from "../proxy/route.ts";

/** Its surroundings. Each is asked for on first use. */
export interface DoorDeps {
  readonly config: Pick<Config, "env" | "dataDir" | "ceiling" | "http">;
  readonly grant: McpGrant;
  readonly snapshot: () => Promise<Pick<Snapshot, "roots">>;
  /** The account scripts run as; undefined: the server's own. */
  readonly account: () => Promise<Result<Account | undefined>>;
  /** The layer of the operating system that holds here. */
  readonly os: () => Promise<OsState>;
  /** Called when that layer failed to set up a start. */
  readonly onLayerFailed: () => void;
  readonly hardLimits: () => Promise<HardLimits>;
  /** The cache directory, found or made when a record needs it. */
  readonly cacheDir: () => Promise<Result<string>>;
  /** The system's temporary directory. */
  readonly tmpDir: string;
  /** The server's own proxy, for connections to go through. */
  readonly upstream: UpstreamSettings;
  /** Certificates (PEM) trusted beside the usual ones. */
  readonly certificates: () => Promise<readonly string[]>;
  /** Real paths of our own executable, where it is ours alone, and main module. */
  readonly ourselves: readonly string[];
  /** Digests of files, shared with whoever else needs them. */
  readonly digests?: FileDigests;
  readonly clock?: Clock;
  /** For the first answer of a server; milliseconds. */
  readonly initializeMs?: number;
}
