/** Where a script finds the proxy of its run. */

import { PROXY_SOCKET } from "../../os/mounts.ts";
import { type ProxyWay, SANDBOX_WAY } from "../../proxy/forwarder.ts";
import type { Manner } from "./confine.ts";
import { fillIn } from "../run/fill_in.ts";
import { RUN } from "./placeholders.ts";
import type { Scratch } from "../disk/scratch.ts";

/** The same for one run, with its own directory filled in. */
export function wayOfRun(
  confinement: Pick<Manner, "by" | "network">,
  scratch: Scratch,
): ProxyWay | undefined {
  const way = wayOut(confinement);
  if (way === undefined) return undefined;
  const [socket = way.socket] = fillIn([way.socket], 0, scratch);
  return { ...way, socket };
}

/**
 * The way, with a placeholder where there is no sandbox with paths and a
 * loopback of its own; undefined when the run has no proxy.
 */
export function wayOut(
  { by, network }: Pick<Manner, "by" | "network">,
): ProxyWay | undefined {
  if (network !== "proxy") return undefined;
  return by === "bwrap"
    ? SANDBOX_WAY
    : { socket: `${RUN}/${PROXY_SOCKET}`, port: undefined };
}
