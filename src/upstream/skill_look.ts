/** A skill's declared servers at this very moment, with the digest that pins them. */

import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { readBoundedSync } from "../base/bounded_read.ts";
import { sha256 } from "../base/digest.ts";
import { errorName } from "../base/error_name.ts";
import { below, isWithin, joined } from "../base/place.ts";
import { ok, refuse, type Result } from "../base/refusal.ts";
import { listed, visible } from "../base/text.ts";
import { FileDigests } from "../catalog/file_digests.ts";
import { DEFAULT_LIMITS } from "../catalog/limits.ts";
import type { Skill } from "../catalog/types.ts";
import {
  type Bundle,
  BundleDigests,
  manifestDigest,
} from "../fence/plan/bundle_digest.ts";
import { checkBundle } from "../fence/preflight.ts";
import type { CheckedDir } from "../fence/preflight/checked_dir.ts";
import type { Account } from "../os/types.ts";
import { readSkillDocument } from "../skill/document.ts";
import {
  type Declarations,
  type DeclarationTexts,
  MCP_JSON,
  readDeclarations,
} from "./declared.ts";

/** The files of a skill that declares servers. */
export interface LookedBundle {
  readonly bundle: Bundle;
  /** The directory that was looked at; undefined for a flat file. */
  readonly checked: CheckedDir | undefined;
}

/** What a skill declares now. */
export interface SkillLook extends Declarations {
  /** Why nothing of it can be pinned, when that is so. */
  readonly bundle: Result<LookedBundle>;
}

const MAX_JSON = 64 * 1024;
const SAFE_READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) |
  (constants.O_NOFOLLOW ?? 0);
const MCP_TOOLS = "mcp_tools";

type Json = DeclarationTexts["json"];

/** Looks at skills; digests of unchanged files are kept. */
export class SkillLooks {
  readonly #digests: BundleDigests;

  constructor(digests: FileDigests = new FileDigests({ now: Date.now })) {
    this.#digests = new BundleDigests(Date.now, digests);
  }

  /**
   * Reads SKILL.md and `.mcp.json` and, where they declare servers, every byte
   * beside them: `root` is the real path of the catalog's root, `account` who
   * will run what is there.
   */
  async look(
    skill: Skill,
    root: string,
    account: Account | undefined,
  ): Promise<SkillLook> {
    const text = readBoundedSync(
      skill.skillFile,
      DEFAULT_LIMITS.skillFileBytes,
    );
    if (!text.ok) return { servers: [], problems: [], bundle: gone(skill) };
    const { bytes, truncated } = text.value;
    const { frontmatter } = readSkillDocument(bytes, {
      truncated,
      flat: skill.flat,
    });
    const json = skill.flat ? undefined : readMcpJson(skill.dir);
    const declared = readDeclarations({
      skill: skill.name,
      frontmatter,
      json: json?.json,
    });
    if (declared.servers.length === 0) {
      return { ...declared, bundle: gone(skill) };
    }
    const file = truncated ? undefined : sha256(bytes);
    const bundle = skill.flat
      ? flatBundle(skill, file)
      : await this.#bundle(skill, root, account);
    if (!bundle.ok) return { ...declared, bundle };
    const { manifest } = bundle.value.bundle;
    const inside = isWithin(skill.skillFile, skill.dir);
    // One text must not be declared from and another be pinned.
    const same = json === undefined || hasOwn(frontmatter)
      ? inside && manifest.get(below(skill.skillFile, skill.dir)) === file
      : manifest.get(MCP_JSON) === json.digest;
    return { ...declared, bundle: same ? bundle : changed(skill) };
  }

  async #bundle(
    skill: Skill,
    root: string,
    account: Account | undefined,
  ): Promise<Result<LookedBundle>> {
    const tree = await checkBundle(skill.dir, root, account);
    if (!tree.ok) return tree;
    const { closed, facts, checked } = tree.value;
    // Scripts are kept from them by flags; a native program is by nothing.
    if (closed.length > 0) {
      const names = facts.closed.map((path) => visible(path, 120));
      return refuse(
        "PREFLIGHT",
        `${
          listed(names, 3)
        } of ${skill.name} holds links that lead out, so its files are not covered by the digest`,
        "Move it out of the skill, or remove those links.",
      );
    }
    const bundle = await this.#digests.digest(skill.dir, facts);
    return ok({ bundle, checked });
  }
}

/**
 * What is wrong with the declarations of these skills, from what the catalogue
 * knows already and the files beside SKILL.md.
 */
export function declarationsOf(skill: Skill): Declarations {
  const json = skill.flat ? undefined : readMcpJson(skill.dir)?.json;
  return readDeclarations({
    skill: skill.name,
    frontmatter: skill.frontmatter,
    json,
  });
}

/** `.mcp.json`, and the digest of its bytes; undefined when there is none. */
function readMcpJson(
  dir: string,
): { readonly json: NonNullable<Json>; readonly digest?: string } | undefined {
  let fd: number;
  try {
    fd = openSync(joined(dir, MCP_JSON), SAFE_READ);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : "";
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    return { json: { why: wrong(code === "ELOOP", error) } };
  }
  try {
    const info = fstatSync(fd);
    if (!info.isFile()) return { json: { why: "is not a regular file" } };
    if (info.size > MAX_JSON) {
      return { json: { why: `is longer than ${MAX_JSON / 1024} KiB` } };
    }
    const buffer = new Uint8Array(MAX_JSON + 1);
    const length = readSync(fd, buffer, 0, buffer.length, 0);
    const bytes = buffer.subarray(0, length);
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return { json: { text }, digest: sha256(bytes) };
  } catch (error) {
    return { json: { why: wrong(false, error) } };
  } finally {
    closeSync(fd);
  }
}

function wrong(link: boolean, error: unknown): string {
  return link
    ? "is a link, which is not followed"
    : error instanceof TypeError
    ? "is not UTF-8"
    : `cannot be read (${errorName(error)})`;
}

function hasOwn(
  frontmatter: Readonly<Record<string, unknown>> | undefined,
): boolean {
  return frontmatter?.[MCP_TOOLS] !== undefined &&
    frontmatter[MCP_TOOLS] !== null;
}

/** Of a flat file only itself is its own. */
function flatBundle(
  skill: Skill,
  file: string | undefined,
): Result<LookedBundle> {
  if (file === undefined) return changed(skill);
  const manifest = new Map([[below(skill.skillFile, skill.dir), file]]);
  const bundle = { digest: manifestDigest(manifest), manifest };
  return ok({ bundle, checked: undefined });
}

function gone({ name }: Skill): Result<never> {
  return refuse(
    "NOT_FOUND",
    `${name} declares no MCP server`,
    "Call skill_list with reload: true to see what is there now.",
  );
}

function changed({ name }: Skill): Result<never> {
  return refuse(
    "PREFLIGHT",
    `what declares the servers of ${name} changed while it was looked at, or lies outside the skill`,
    "Call again.",
  );
}
