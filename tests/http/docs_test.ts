import assert from "node:assert/strict";
import { join } from "node:path";
import { HTTP_BOUNDS } from "../../src/http/bounds.ts";
import { Metrics } from "../../src/http/metrics.ts";

const PAGE = await Deno.readTextFile(
  join(import.meta.dirname!, "../../docs/http.md"),
);

function bound(what: string): string {
  const row = PAGE.split("\n").find((line) => line.startsWith(`| ${what} `));
  assert.ok(row !== undefined, what);
  return row.split("|")[2]!.trim();
}

Deno.test("docs/http.md: the table of bounds has the numbers of the code", () => {
  const { body, reader, answers, caller, strangers, sessions } = HTTP_BOUNDS;
  const seconds = (ms: number) => `${ms / 1000} s`;
  const number = (n: number) => n.toLocaleString("en");
  const rate = ({ perSecond, burst }: typeof caller) =>
    `${number(perSecond)}/s, ${number(burst)} after a rest`;
  const mib = (bytes: number) => `${bytes / 1024 / 1024} MiB`;
  assert.deepEqual({
    body: bound("a body"),
    time: bound("time until a body is there"),
    concurrent: bound("requests of one caller under way"),
    rate: bound("how often one caller asks"),
    strangers: bound("requests without the right token, all together"),
    sessions: bound("sessions of 2025 clients"),
    idle: bound("a session nobody uses"),
    subscriptions: bound("subscriptions of 2026 clients"),
    pending: bound("what waits for a reader that is slower than we"),
    answers: bound("large answers in memory, all together"),
    room: bound("how long a large answer waits for room"),
    stall: bound("a reader that takes nothing while something waits"),
    comments: bound("silence on an event stream"),
    drain: bound("what is under way when the server ends"),
  }, {
    body: mib(body.bytes),
    time: seconds(body.ms),
    concurrent: String(caller.concurrent),
    rate: rate(caller),
    strangers: rate(strangers),
    sessions: String(sessions.count),
    idle: `${sessions.idleMs / 60_000} min`,
    subscriptions: String(HTTP_BOUNDS.maxSubscriptions),
    pending: `${mib(reader.pendingBytes)} beside one answer`,
    answers: mib(answers.bytes),
    room: seconds(answers.waitMs),
    stall: seconds(reader.stallMs),
    comments: seconds(HTTP_BOUNDS.keepAliveMs),
    drain: seconds(HTTP_BOUNDS.drainMs),
  });
});

Deno.test("docs/http.md: every metric is in the table, and no other", () => {
  const page = new Metrics().text({
    version: "1",
    ready: true,
    skills: 1,
    sessions: 0,
    subscriptions: 0,
    underWay: 0,
    watch: [],
    rss: 1,
    uptime: 1,
  });
  const served = [...page.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name!);
  const section = PAGE.slice(
    PAGE.indexOf("| metric "),
    PAGE.indexOf("Values of labels"),
  );
  const listed = [...section.matchAll(/`((?:skillfence|process)_\w+)`/g)]
    .map(([, name]) => name!);
  assert.deepEqual(listed.sort(), served.sort());
});

Deno.test("docs/scaling.md: says of everything that a replica remembers what is lost without session routing", async () => {
  const page = await Deno.readTextFile(
    join(import.meta.dirname!, "../../docs/scaling.md"),
  );
  const rows = page.split("\n").filter((line) => line.startsWith("| "))
    .map((line) => line.split("|").slice(1, -1).map((cell) => cell.trim()));
  assert.deepEqual(rows[0], ["what", "without session routing"]);
  const said = rows.slice(2).map(([what, lost]) => `${what}: ${lost}`);
  for (
    const about of [
      /^a session of a 2025 client: lost: 404/,
      /^a preview .*: refused at any other replica, unless .* share a key/,
      /^that a preview was used: each replica accepts .* N times/,
      /^the queue .*: counts per replica/,
      /^files a run left .*: found only where it ran/,
      /^`MCP_DATA_DIR`: one directory per replica/,
      /^subscriptions: live where they were opened/,
      /^the rate and concurrency bounds: count per replica/,
      /^the audit log and the metrics: are per replica/,
    ]
  ) assert.ok(said.some((row) => about.test(row)), String(about));
});
