// The rules of the mcp-host block that authors trip over.

const SCRIPT_KEYS = [
  "script",
  "interpreter",
  "env",
  "timeout",
  "workspace",
  "sockets",
  "limits",
];
const LIMITS = ["memory", "cpu", "file", "procs", "open", "disk", "files"];
const BLOCK_KEYS = ["version", "run", "env", "egress", "state"];
const HOST =
  /^(\*\.)?([a-z0-9]([a-z0-9-]*[a-z0-9])?)(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+(:\d{1,5})?$/i;
const ADDRESS = /^(\d{1,3}(\.\d{1,3}){3}|\[[0-9a-f:.]+\])(:\d{1,5})?$/i;
const STEERING =
  /^(DENO_|NODE_|OTEL_|LD_|DYLD_|MALLOC_|SSL_CERT_|SKILLFENCE_|MCP_|PYTHON|PERL5|RUBY|JAVA_TOOL_OPTIONS|GIT_|GLIBC_TUNABLES|JSR_URL|NPM_CONFIG_)|_PROXY$|^(HOME|PATH|TMPDIR|ENV|BASH_ENV|SHELLOPTS|PS4|IFS)$/i;

function checkScript(entry, say) {
  if (typeof entry !== "object" || entry === null) {
    return say(
      "error",
      "run",
      "every entry of run is a mapping that begins with `- script:`",
    );
  }
  for (const key of Object.keys(entry)) {
    if (!SCRIPT_KEYS.includes(key)) {
      say("warning", key, `${key} is not a key of a run entry`);
    }
  }
  const { script, interpreter, timeout, workspace } = entry;
  const segments = typeof script === "string" ? script.split("/") : [];
  if (
    segments.length === 0 || segments.some((part) => /^\.{0,2}$/.test(part)) ||
    /[\\\0]/.test(script)
  ) {
    say(
      "error",
      "script",
      "script: a path inside the skill, such as scripts/a.mjs",
    );
  }
  if (interpreter !== "deno" && interpreter !== "node") {
    say(
      "error",
      "interpreter",
      `${script}: interpreter must be deno or node to run here`,
    );
  }
  if (
    timeout !== undefined && !(typeof timeout === "number" && timeout >= 0.001)
  ) {
    say(
      "error",
      "timeout",
      `${script}: timeout is a number of seconds above 0`,
    );
  } else if (timeout > 300) {
    say("warning", "timeout", `${script}: timeout is cut to 300 seconds`);
  }
  if (
    workspace !== undefined && workspace !== "read" && workspace !== "write"
  ) {
    say("error", "workspace", `${script}: workspace is read or write`);
  }
  if (entry.sockets !== undefined && typeof entry.sockets !== "boolean") {
    say("warning", "sockets", `${script}: sockets is true or false`);
  }
  checkLimits(entry.limits, script, say);
  if (entry.env !== undefined && !Array.isArray(entry.env)) {
    return say(
      "error",
      "env",
      `${script}: env is a list of names, such as [API_KEY]`,
    );
  }
  for (const name of entry.env ?? []) checkName(name, say);
}

function checkLimits(limits, script, say) {
  if (limits === undefined) return;
  if (
    typeof limits !== "object" || limits === null || Array.isArray(limits)
  ) {
    return say("warning", "limits", `${script}: limits is a mapping`);
  }
  for (const [key, value] of Object.entries(limits)) {
    if (!LIMITS.includes(key)) {
      say(
        "warning",
        key,
        `${key} is not a limit; they are ${LIMITS.join(", ")}`,
      );
    } else if (!Number.isInteger(value) || value < 1) {
      say("warning", key, `${script}: ${key} is a whole number from 1`);
    }
  }
}

function checkName(name, say) {
  if (!/^[A-Za-z_]\w*$/.test(String(name))) {
    say("error", "env", `${name} is not the name of a variable`);
  } else if (STEERING.test(name)) {
    say("error", "env", `${name} steers programs and is never handed over`);
  }
}

/** Findings of a parsed `mcp-host` value. */
export function checkBlock(block, lineOf) {
  const findings = [];
  const say = (severity, key, text) => {
    findings.push({ severity, line: lineOf(key), text: `mcp-host: ${text}` });
  };
  if (typeof block !== "object" || block === null || Array.isArray(block)) {
    say("error", "mcp-host", "must be a mapping");
    return findings;
  }
  for (const key of Object.keys(block)) {
    if (!BLOCK_KEYS.includes(key)) {
      say("warning", key, `${key} is not a key of this block`);
    }
  }
  if (block.version !== 1) say("error", "version", "version: 1 is required");
  if (block.run !== undefined && !Array.isArray(block.run)) {
    say("error", "run", "run is a list");
  }
  for (const entry of Array.isArray(block.run) ? block.run : []) {
    checkScript(entry, say);
  }
  if (block.egress !== undefined && !Array.isArray(block.egress)) {
    say(
      "error",
      "egress",
      "egress is a list of hosts, such as [api.example.com]",
    );
  }
  for (const host of Array.isArray(block.egress) ? block.egress : []) {
    if (
      !HOST.test(String(host)) && !ADDRESS.test(String(host)) &&
      host !== "localhost"
    ) {
      say("error", "egress", `${host} is not a host name, *.name or address`);
    } else if (/^\*\.[^.]+$/.test(String(host))) {
      say("error", "egress", `${host} would admit a whole top-level domain`);
    }
  }
  return findings;
}
