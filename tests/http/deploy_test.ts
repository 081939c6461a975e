/** What is shipped for deployments. No container engine runs here. */

import assert from "node:assert/strict";
import { validate } from "dockerfile-utils";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { type Json, processTest } from "../support/clients.ts";
import { makeTree } from "../support/tree.ts";
import { modernBody, modernHeaders, raw } from "./raw.ts";
import { startHttp } from "./server.ts";
import { until } from "../support/until.ts";

const ROOT = join(import.meta.dirname!, "../..");

async function manifests(): Promise<Json[]> {
  const text = await Deno.readTextFile(join(ROOT, "deploy/kubernetes.yaml"));
  return parseAllDocuments(text, { strict: true }).map((document) => {
    assert.deepEqual(document.errors, []);
    assert.deepEqual(document.warnings, []);
    return document.toJS();
  });
}

function byKind(all: readonly Json[], kind: string): Json {
  return all.find((each) => each.kind === kind);
}

Deno.test("Dockerfile: a linter has nothing to say; distroless, an ordinary user, one file", async () => {
  const text = await Deno.readTextFile(join(ROOT, "Dockerfile"));
  assert.deepEqual(validate(text), []);
  const last = text.split(/^FROM /m).at(-1)!;
  assert.match(last, /^gcr\.io\/distroless\/cc-debian\d+:nonroot\n/);
  assert.match(last, /^USER 65532:65532$/m);
  assert.equal(last.match(/^COPY /gm)?.length, 1);
  assert.ok(!/^(?:RUN|ADD) /m.test(last));
  const ignored = await Deno.readTextFile(join(ROOT, ".dockerignore"));
  for (const [, path] of ignored.matchAll(/^!(.+)$/gm)) {
    assert.ok(await Deno.stat(join(ROOT, path!)), path);
  }
});

Deno.test("kubernetes.yaml: not root, nothing writable but /tmp, skills read-only, probes, resources", async () => {
  const all = await manifests();
  assert.deepEqual(all.map(({ kind }) => kind), [
    "Secret",
    "Deployment",
    "Service",
    "NetworkPolicy",
  ]);
  const { spec } = byKind(all, "Deployment").spec.template;
  const [container] = spec.containers;
  assert.equal(spec.securityContext.runAsNonRoot, true);
  assert.equal(spec.automountServiceAccountToken, false);
  assert.equal(container.securityContext.readOnlyRootFilesystem, true);
  assert.equal(container.securityContext.allowPrivilegeEscalation, false);
  assert.deepEqual(container.securityContext.capabilities, { drop: ["ALL"] });
  const writable = container.volumeMounts.filter((mount: Json) =>
    mount.readOnly !== true
  );
  assert.deepEqual(writable.map((mount: Json) => mount.mountPath), ["/tmp"]);
  const volumes = spec.volumes.map(({ name }: Json) => name).sort();
  assert.deepEqual(
    container.volumeMounts.map(({ name }: Json) => name).sort(),
    volumes,
  );
  assert.ok(container.resources.requests.cpu);
  assert.ok(container.resources.limits.memory);
  for (
    const [probe, path] of [
      ["startupProbe", "/readyz"],
      ["readinessProbe", "/readyz"],
      ["livenessProbe", "/healthz"],
    ]
  ) assert.equal(container[probe!].httpGet.path, path);
  const labels = byKind(all, "Deployment").spec.template.metadata.labels;
  assert.deepEqual(byKind(all, "Deployment").spec.selector.matchLabels, labels);
  assert.deepEqual(byKind(all, "Service").spec.selector, labels);
  const policy = byKind(all, "NetworkPolicy").spec;
  assert.deepEqual(policy.podSelector.matchLabels, labels);
  // The bound on draining and what is waited before it fit in.
  assert.ok(
    spec.terminationGracePeriodSeconds >=
      20 + 5 + container.lifecycle.preStop.sleep.seconds,
  );
});

Deno.test({
  name:
    "kubernetes.yaml: a server with its arguments is ready, takes probes with any Host, and its own name with the token",
  ...processTest,
  async fn() {
    const { args, env } =
      byKind(await manifests(), "Deployment").spec.template.spec.containers[0];
    await using tree = await makeTree({
      "s/a/SKILL.md": "---\nname: a\ndescription: d\n---\n",
      token: "a-token-for-tests-of-32-characters-or-more\n",
    });
    // As the secret is mounted.
    await Deno.chmod(tree.path("token"), 0o440);
    assert.deepEqual(args.slice(0, 3), ["serve", "--http", "0.0.0.0:8787"]);
    assert.equal(env[0].name, "SKILLFENCE_TOKEN_FILE");
    const skills = args.indexOf("--skills");
    await using server = await startHttp({
      http: "0.0.0.0:0",
      skills: tree.path("s"),
      args: [...args.slice(3, skills), ...args.slice(skills + 2)],
      env: { SKILLFENCE_TOKEN_FILE: tree.path("token") },
    });
    await until(async () => {
      const { status } = await raw(
        server.port,
        "GET /readyz HTTP/1.1\r\nHost: 10.42.0.7:8787\r\n\r\n",
      );
      return status === 200;
    });
    const body = modernBody("tools/list");
    const ask = (host: string) =>
      raw(
        server.port,
        `POST /mcp HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${server.token}\r\n` +
          Object.entries(modernHeaders("tools/list")).map(([name, value]) =>
            `${name}: ${value}\r\n`
          ).join("") +
          `Content-Length: ${body.length}\r\n\r\n${body}`,
      );
    assert.equal((await ask("skills.example.org")).status, 200);
    // Beyond loopback its names are those that were listed.
    for (const host of ["localhost", "127.0.0.1", "10.42.0.7:8787"]) {
      assert.equal((await ask(host)).status, 403, host);
    }
  },
});
