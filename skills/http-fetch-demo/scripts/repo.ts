// Asks one declared host one question. `interpreter: deno` runs TypeScript as
// it is; `Deno.env` shows only what the owner granted.

/** The fields of GitHub's answer that are used here. */
interface Repository {
  readonly full_name: string;
  readonly description: string | null;
  readonly stargazers_count: number;
  readonly open_issues_count: number;
  readonly pushed_at: string;
  readonly license: { readonly spdx_id: string } | null;
}

const DEFAULT_BASE = "https://api.github.com";

function fail(code: number, message: string): never {
  console.error(message);
  Deno.exit(code);
}

function readArguments(args: readonly string[]) {
  const rest = [...args];
  let base = DEFAULT_BASE;
  const at = rest.indexOf("--base");
  if (at !== -1) base = rest.splice(at, 2)[1] ?? "";
  const json = rest.includes("--json");
  const [repository, ...extra] = rest.filter((arg) => arg !== "--json");
  if (
    extra.length > 0 || !/^[\w.-]+\/[\w.-]+$/.test(repository ?? "") ||
    !URL.canParse(base)
  ) {
    fail(2, "usage: repo.ts OWNER/NAME [--json] [--base URL]");
  }
  return { url: `${base}/repos/${repository}`, json };
}

async function ask(url: string): Promise<Response> {
  const headers = new Headers({
    accept: "application/vnd.github+json",
    "user-agent": "skillfence-http-fetch-demo",
  });
  const token = Deno.env.get("GITHUB_TOKEN");
  if (token) headers.set("authorization", `Bearer ${token}`);
  try {
    return await fetch(url, { headers, signal: AbortSignal.timeout(20_000) });
  } catch (error) {
    return fail(5, `no answer from ${new URL(url).host}: ${error}`);
  }
}

const { url, json } = readArguments(Deno.args);
const response = await ask(url);
if (response.status === 404) fail(3, "no such repository");
if (!response.ok) fail(4, `GitHub answered ${response.status}`);

const repository = await response.json() as Repository;
const facts = {
  repository: repository.full_name,
  about: repository.description ?? "",
  stars: repository.stargazers_count,
  openIssues: repository.open_issues_count,
  licence: repository.license?.spdx_id ?? "none stated",
  lastPush: repository.pushed_at,
};
if (json) console.log(JSON.stringify(facts));
else {for (const [name, value] of Object.entries(facts)) {
    console.log(`${name}: ${value}`);
  }}
