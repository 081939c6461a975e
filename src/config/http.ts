/** `serve --http` and the flags and variables that belong to it. */

import { type Refusal, refuse } from "../base/refusal.ts";
import type { Flags } from "./flags.ts";
import { hostName, isLocal, readListen } from "./listen.ts";
import type { HttpConfig } from "./types.ts";
import { quoted } from "./values.ts";

/** What the variables said, already read. */
export interface HttpVariables {
  readonly tokenFile: string | undefined;
  readonly planKeyFile: string | undefined;
  readonly confirm: "argument" | "plan";
}

/** How HTTP is served, and what was wrong on the way to it. */
export interface HttpReading {
  /** Undefined without `--http`, and wherever anything was wrong. */
  readonly http: HttpConfig | undefined;
  /** `--http` was given, well or not. */
  readonly wanted: boolean;
  readonly complaints: readonly Refusal[];
}

/**
 * Reads everything about HTTP. With any complaint nothing listens: whoever goes
 * on in spite of it is not reached by more people than its owner meant.
 */
export function readHttp(
  flags: Flags,
  variables: HttpVariables,
  cwd: string,
): HttpReading {
  const [address, ...more] = flags.http ?? [];
  const complaints = planKeyComplaints(variables);
  if (address === undefined) {
    complaints.push(...strayFlags(flags));
    return { http: undefined, wanted: false, complaints };
  }
  if (more.length > 0) {
    complaints.push(
      refuse(
        "CONFIG",
        `--http was given ${more.length + 1} times`,
        "Give it once; another address takes another server.",
      ),
    );
  }
  const hosts = (flags.hosts ?? []).map((text) => [text, hostName(text)]);
  for (const [text, name] of hosts) {
    if (name === undefined) complaints.push(badHost(text!));
  }
  const listen = readListen(address.trim(), cwd);
  if (!listen.ok) complaints.push(listen);
  else if (!isLocal(listen.value)) complaints.push(...openBind(flags, address));
  complaints.push(...contradictions(flags, variables));
  if (!listen.ok || complaints.length > 0) {
    return { http: undefined, wanted: true, complaints };
  }
  return {
    http: {
      listen: listen.value,
      hosts: hosts.flatMap(([, name]) => name ?? []),
      behindTlsProxy: flags.behindTlsProxy === true,
      tokenless: flags.noToken === true,
      allowRun: flags.allowRun === true,
      tokenFile: variables.tokenFile,
      planKeyFile: variables.planKeyFile,
    },
    wanted: true,
    complaints,
  };
}

function strayFlags(flags: Flags): Refusal[] {
  const stray: readonly (readonly [string, boolean | undefined])[] = [
    ["--host", (flags.hosts?.length ?? 0) > 0],
    ["--behind-tls-proxy", flags.behindTlsProxy],
    ["--no-token", flags.noToken],
    ["--allow-run", flags.allowRun],
  ];
  return stray.filter(([, given]) => given === true).map(([flag]) =>
    refuse(
      "CONFIG",
      `${flag} means nothing without --http`,
      `Leave ${flag} out, or add --http 127.0.0.1:8787.`,
    )
  );
}

function openBind(flags: Flags, address: string): Refusal[] {
  const complaints: Refusal[] = [];
  const where = `--http ${quoted(address)} is reached from other machines`;
  if ((flags.hosts ?? []).length === 0) {
    complaints.push(
      refuse(
        "CONFIG",
        `${where} and no --host says under which names`,
        "Add --host NAME for each name that clients use, or listen on 127.0.0.1.",
      ),
    );
  }
  if (flags.behindTlsProxy !== true) {
    complaints.push(
      refuse(
        "CONFIG",
        `${where} and this server has no TLS, so tokens would travel readable`,
        "Put a proxy with TLS before it and add --behind-tls-proxy, or listen on 127.0.0.1.",
      ),
    );
  }
  if (flags.noToken === true) {
    complaints.push(
      refuse(
        "CONFIG",
        `${where} and --no-token would let anybody in`,
        "Leave --no-token out, or listen on 127.0.0.1.",
      ),
    );
  }
  return complaints;
}

function contradictions(flags: Flags, { tokenFile }: HttpVariables): Refusal[] {
  const complaints: Refusal[] = [];
  if (flags.noToken === true && flags.allowRun === true) {
    complaints.push(
      refuse(
        "CONFIG",
        "--no-token and --allow-run together would let any program on this machine run scripts",
        "Leave one of them out; a unix socket (--http unix:/path) needs no token anyway.",
      ),
    );
  }
  if (flags.noToken === true && tokenFile !== undefined) {
    complaints.push(
      refuse(
        "CONFIG",
        "--no-token is given and SKILLFENCE_TOKEN_FILE is set",
        "Leave one of them out.",
      ),
    );
  }
  if (flags.skipNative === true) {
    complaints.push(
      refuse(
        "CONFIG",
        "--skip-native does not go with --http: the client's own folders are on its machine",
        "Leave --skip-native out, or serve over stdio.",
      ),
    );
  }
  return complaints;
}

function planKeyComplaints(variables: HttpVariables): Refusal[] {
  if (variables.planKeyFile === undefined || variables.confirm === "plan") {
    return [];
  }
  return [
    refuse(
      "CONFIG",
      "SKILLFENCE_PLAN_KEY_FILE is set, but SKILLFENCE_CONFIRM is not plan, so no preview is signed",
      "Set SKILLFENCE_CONFIRM=plan, or remove SKILLFENCE_PLAN_KEY_FILE.",
    ),
  ];
}

function badHost(text: string): Refusal {
  return refuse(
    "CONFIG",
    `--host is ${quoted(text)}: not a host name`,
    "Accepted: a name or an address as clients write it, without scheme, port and path: skills.example.org.",
  );
}
