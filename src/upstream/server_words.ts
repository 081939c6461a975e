/** What a declared server may do, in words. Pure. */

import { counted, listed, visible } from "../base/text.ts";
import { scriptsUid } from "../os/account.ts";
import type { Account } from "../os/types.ts";
import type { GrantedServer, ServerFence } from "./granted_server.ts";

/** How it is held, in words, for a listing and a preview. */
export function fenceWords(
  fence: ServerFence,
  account: Account | undefined,
  net: boolean,
): string {
  if (fence.by === "none") {
    const who = account === undefined
      ? "this server's account"
      : scriptsUid(account);
    return `unfenced: it reads and writes what ${who} may, and has the network`;
  }
  const network = net
    ? "the host's network, this machine's own services included"
    : "no network";
  const { layer } = fence;
  return layer.by === "bwrap"
    ? `bubblewrap ${layer.version}: own namespaces, only the skill, its data directory and the system's programs are there, system calls filtered; ${network}`
    : `Landlock (ABI ${layer.abi}): files outside cannot be opened, though their existence can be seen; system calls filtered, no further processes; ${network}`;
}

/** One sentence for each thing that a call lets happen. */
export function permissionsOf(server: GrantedServer): string[] {
  const { process, rights, values, expanded, declared, account } = server;
  const env = Object.keys(values).sort();
  const handed = env.length === 0
    ? "is handed no variable of this server"
    : `is handed ${listed(env, 20)}`;
  if (process === undefined) {
    // Where a value is part of the address, the address stays as declared.
    const { transport } = expanded.exposed.length > 0 ? declared : expanded;
    const url = transport.kind === "http" ? transport.url : "";
    const host = URL.canParse(url) ? new URL(url).host : url;
    return [`sends what you pass to ${visible(host)}`, handed];
  }
  const { program, dataDir, skillDir, fence } = process;
  const shown = program.shown.map((path) => `reads ${path}, its program's own`);
  const unfenced = fence.by === "none";
  return [
    ...unfenced
      ? [
        `reads and writes everything that ${
          account === undefined ? "this server's account" : scriptsUid(account)
        } may`,
      ]
      : [
        skillDir === undefined
          ? "reads the system's programs and libraries"
          : "reads the skill, and the system's programs and libraries",
        ...shown,
        dataDir === undefined
          ? "writes nothing that outlives it"
          : `writes its data directory ${dataDir}`,
      ],
    unfenced || rights.net
      ? "reaches the network, this machine's own services included"
      : "reaches no network",
    handed,
  ];
}

/** What is worth knowing beside, in words. */
export function notesOf(server: GrantedServer): string[] {
  const { expanded, notSet, process, declared, rights } = server;
  const { transport } = declared;
  const npx = transport.kind === "stdio" &&
    /(?:^|\/)(?:npx|bunx|uvx|pipx)$/.test(transport.command);
  const landlock = process?.fence.by === "layer" &&
    process.fence.layer.by === "landlock";
  return [
    ...notSet.length === 0
      ? []
      : [`granted and not set here: ${listed(notSet, 10)}`],
    ...expanded.exposed.length === 0 || process === undefined ? [] : [
      `on its command line, which this machine's other accounts can read: ${
        listed(expanded.exposed, 10)
      }`,
    ],
    ...npx
      ? [
        `it fetches its program at every start${
          rights.net ? "" : ", which takes `net`"
        }${
          landlock ? ", and cannot start it under Landlock" : ""
        }: the digest says nothing of what it fetches`,
      ]
      : [],
  ];
}

/** For messages: how long until a server is tried again. */
export function seconds(ms: number): string {
  return `${counted(Math.max(1, Math.ceil(ms / 1000)))} s`;
}
