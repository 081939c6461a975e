/** Every hostile script of the suite. */

import type { Attack } from "./attack.ts";
import { ENVIRONMENT_ATTACKS } from "./environment.ts";
import { FILE_ATTACKS } from "./files.ts";
import { FLOOD_ATTACKS } from "./floods.ts";
import { LINK_ATTACKS } from "./links.ts";
import { MODULE_ATTACKS } from "./modules.ts";
import { MODULE_SIDE_ATTACKS } from "./modules_beside.ts";
import { NATIVE_ATTACKS } from "./native.ts";
import { NETWORK_ATTACKS } from "./network.ts";
import { PROC_ATTACKS } from "./proc.ts";
import { PROCESS_ATTACKS } from "./process.ts";
import { PROXY_ATTACKS } from "./run_proxy.ts";
import { RUNTIME_ATTACKS } from "./runtime.ts";
import { SOCKET_ATTACKS } from "./sockets.ts";
import { STORAGE_ATTACKS } from "./storage.ts";
import { SWAP_ATTACKS } from "./swaps.ts";

/** All of them, in the order of the rooms of kinds.md. */
export const ATTACKS: readonly Attack[] = [
  ...MODULE_ATTACKS,
  ...MODULE_SIDE_ATTACKS,
  ...FILE_ATTACKS,
  ...LINK_ATTACKS,
  ...SWAP_ATTACKS,
  ...PROC_ATTACKS,
  ...ENVIRONMENT_ATTACKS,
  ...PROCESS_ATTACKS,
  ...RUNTIME_ATTACKS,
  ...NATIVE_ATTACKS,
  ...NETWORK_ATTACKS,
  ...SOCKET_ATTACKS,
  ...PROXY_ATTACKS,
  ...STORAGE_ATTACKS,
  ...FLOOD_ATTACKS,
];
