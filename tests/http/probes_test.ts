/** `/healthz`, `/readyz` and `/metrics`. */

import assert from "node:assert/strict";
import { Metrics } from "../../src/http/metrics.ts";
import { processTest } from "../support/clients.ts";
import { makeTree } from "../support/tree.ts";
import { raw } from "./raw.ts";
import { connectHttp, type HttpServer, startHttp } from "./server.ts";
import { until } from "../support/until.ts";

const SKILLS = {
  "a/SKILL.md":
    "---\nname: a\ndescription: d\nmcp-host:\n  version: 1\n  run:\n    - script: go.mjs\n      interpreter: node\n    - script: bad.mjs\n      interpreter: node\n---\n",
  "a/go.mjs": "console.log('x')\n",
  "a/bad.mjs":
    "import fs from 'node:fs'; try { fs.readFileSync('/etc/shadow') } catch {} process.exit(3)\n",
};

/** Every line of a page is a comment, blank or a sample (text format 0.0.4). */
const SAMPLE =
  /^([a-zA-Z_:][a-zA-Z0-9_:]*)(\{(?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*",?)*\})? ([+-]?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?|Inf)|NaN)$/;

function parse(page: string): Map<string, number> {
  assert.ok(page.endsWith("\n"));
  const samples = new Map<string, number>();
  const types = new Map<string, string>();
  for (const line of page.trimEnd().split("\n")) {
    const [, typed, type] =
      /^# TYPE (\S+) (counter|gauge|histogram)$/.exec(line) ?? [];
    if (typed !== undefined) {
      assert.ok(!types.has(typed), `${typed} twice`);
      types.set(typed, type!);
      continue;
    }
    if (/^# HELP \S+ .+$/.test(line)) continue;
    const [, name, labels = "", value] = SAMPLE.exec(line) ?? [];
    assert.ok(name !== undefined, line);
    const base = name.replace(/_(bucket|sum|count)$/, "");
    assert.ok(types.has(name) || types.get(base) === "histogram", line);
    assert.ok(!samples.has(name + labels), `${line} twice`);
    samples.set(name + labels, Number(value!.replace("Inf", "Infinity")));
  }
  return samples;
}

async function get(server: HttpServer, path: string): Promise<Response> {
  return await fetch(`${server.origin}${path}`);
}

Deno.test({
  name:
    "http probes: open to every Host, saying nothing else; ready only after the first scan",
  ...processTest,
  async fn() {
    await using tree = await makeTree(SKILLS);
    await using server = await startHttp({ skills: tree.root });
    for (const path of ["/healthz", "/readyz"]) {
      const answer = await until(async () => {
        const { status, text } = await raw(
          server.port,
          `GET ${path} HTTP/1.1\r\nHost: 10.1.2.3:8787\r\nConnection: close\r\n\r\n`,
        );
        return status === 200 && text;
      });
      assert.equal(answer, "ok\n");
      const head = await fetch(`${server.origin}${path}`, { method: "HEAD" });
      assert.equal(head.status, 200);
      const post = await fetch(`${server.origin}${path}`, { method: "POST" });
      await post.body?.cancel();
      assert.equal(post.status, 405);
    }
    const metrics = await get(server, "/metrics");
    await metrics.body?.cancel();
    assert.equal(metrics.status, 401);
  },
});

Deno.test({
  name:
    "http metrics: calls, refusals, runs, denials, durations, watch state, sessions and memory in the text format",
  ...processTest,
  async fn() {
    await using tree = await makeTree(SKILLS);
    await using server = await startHttp({
      skills: tree.root,
      args: ["--allow-run"],
      env: {
        MCP_SKILL_RUN: JSON.stringify([
          { skill: "a", script: "go.mjs" },
          { skill: "a", script: "bad.mjs" },
        ]),
      },
    });
    await using old = await connectHttp("v1", server);
    await using modern = await connectHttp("v2", server);
    const call = (name: string, args: Record<string, unknown> = {}) =>
      modern.request("tools/call", { name, arguments: args });
    await call("skill_list");
    await call("skill_load", { name: "a" });
    await call("skill_load", { name: "nobody-serves-this" });
    await call("skill_run", { name: "a", script: "go.mjs", confirm: true });
    await call("skill_run", { name: "a", script: "bad.mjs", confirm: true });
    assert.ok(old.line === "v1");
    const response = await server.fetch("/metrics");
    assert.match(
      response.headers.get("content-type") ?? "",
      /^text\/plain; version=0\.0\.4/,
    );
    const page = await response.text();
    const samples = parse(page);
    const value = (key: string) => samples.get(`skillfence_${key}`);
    assert.equal(
      value('tool_calls_total{tool="skill_list",outcome="done"}'),
      1,
    );
    assert.equal(
      value('tool_calls_total{tool="skill_load",outcome="refused"}'),
      1,
    );
    assert.equal(value('refusals_total{code="UNKNOWN_SKILL"}'), 1);
    assert.equal(value('runs_total{end="zero"}'), 1);
    assert.equal(value('runs_total{end="non-zero"}'), 1);
    assert.ok(value('denials_total{kind="read"}')! >= 1, page);
    assert.equal(
      value('tool_call_duration_seconds_count{tool="skill_run"}'),
      2,
    );
    assert.equal(
      value('tool_call_duration_seconds_bucket{tool="skill_run",le="+Inf"}'),
      2,
    );
    assert.equal(value("sessions"), 1);
    assert.equal(value("subscriptions"), 0);
    assert.equal(value("ready"), 1);
    assert.equal(value("skills"), 1);
    assert.ok(value('watched_directories{state="watching"}') !== undefined);
    assert.ok(samples.get("process_resident_memory_bytes")! > 1e7);
    for (const word of ["nobody-serves-this", "go.mjs", tree.root]) {
      assert.ok(!page.includes(word), word);
    }
  },
});

Deno.test("Metrics: label values are escaped, and a status that is not known is other", () => {
  const metrics = new Metrics();
  metrics.turnedAway(401);
  metrics.turnedAway(418);
  const page = metrics.text({
    version: 'a"b\\c\nd',
    ready: false,
    skills: undefined,
    sessions: 0,
    subscriptions: 0,
    underWay: 0,
    watch: [],
    rss: 1,
    uptime: 0.5,
  });
  const samples = parse(page);
  assert.equal(
    samples.get('skillfence_requests_turned_away_total{status="other"}'),
    1,
  );
  assert.equal(
    samples.get('skillfence_build_info{version="a\\"b\\\\c\\nd"}'),
    1,
  );
});

Deno.test("Metrics: buckets are cumulative and the last holds everything", () => {
  const metrics = new Metrics();
  for (const ms of [1, 5, 30, 700, 90_000]) {
    metrics.call({ tool: "skill_list", code: undefined, ms, run: undefined });
  }
  const samples = parse(metrics.text({
    version: "1",
    ready: true,
    skills: 0,
    sessions: 0,
    subscriptions: 0,
    underWay: 0,
    watch: [],
    rss: 1,
    uptime: 0,
  }));
  const bucket = (le: string) =>
    samples.get(
      `skillfence_tool_call_duration_seconds_bucket{tool="skill_list",le="${le}"}`,
    );
  assert.deepEqual(
    ["0.005", "0.05", "0.5", "1", "60", "+Inf"].map(bucket),
    [2, 3, 3, 4, 4, 5],
  );
});
