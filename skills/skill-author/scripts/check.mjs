// Checks a SKILL.md for what commonly keeps a skill from being served or run.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { readSimpleYaml } from "../lib/simple_yaml.mjs";
import { checkBlock } from "../lib/check_block.mjs";

function readDocument() {
  const folder = join(dirname(process.env.SKILL_OUT ?? "."), "in");
  let names = [];
  try {
    names = readdirSync(folder);
  } catch {
    // Nothing was handed in.
  }
  if (names.length > 1) return fail(`hand in one file, not ${names.length}`);
  return names.length === 1
    ? readFileSync(join(folder, names[0]), "utf8")
    : readFileSync(0, "utf8");
}

function fail(message) {
  console.error(message);
  process.exit(2);
}

function checkNames(values, lineOf, directory) {
  const findings = [];
  const say = (severity, key, text) =>
    findings.push({ severity, line: lineOf(key), text });
  const { name, description } = values;
  if (name === undefined) {
    say("warning", "name", "no name: other clients require one");
  } else if (
    !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(String(name)) || String(name).length > 64
  ) {
    say(
      "warning",
      "name",
      "name: use lower-case words joined by hyphens, at most 64 characters",
    );
  }
  if (directory !== undefined && name !== undefined && name !== directory) {
    say(
      "warning",
      "name",
      `name is ${name}, the directory is ${directory}: the directory's name is served`,
    );
  }
  if (typeof description !== "string" || description.trim() === "") {
    say(
      "error",
      "description",
      "no description: a model cannot know when to use this skill",
    );
  } else if (description.length > 1024) {
    say(
      "warning",
      "description",
      `description has ${description.length} characters; clients cut at 1024`,
    );
  }
  return findings;
}

function check(text, directory) {
  const document = text.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n");
  const match = /^---[ \t]*\n([\s\S]*?\n)?---[ \t]*(?:\n|$)([\s\S]*)$/.exec(
    document,
  );
  if (!match) {
    return [{
      severity: "error",
      line: 1,
      text:
        "no frontmatter: begin the file with a line --- and end the block with another",
    }];
  }
  const { values, lineOf, findings } = readSimpleYaml(match[1] ?? "");
  findings.push(...checkNames(values, lineOf, directory));
  if (values["mcp-host"] !== undefined) {
    findings.push(...checkBlock(values["mcp-host"], lineOf));
  }
  if (match[2].trim() === "") {
    findings.push({
      severity: "warning",
      line: 1,
      text: "no instructions after the frontmatter",
    });
  } else if (match[2].split("\n").length > 500) {
    findings.push({
      severity: "note",
      line: 1,
      text: "more than 500 lines: move details into files beside SKILL.md",
    });
  }
  return findings;
}

const [directory, ...extra] = process.argv.slice(2);
if (extra.length > 0) {
  fail("usage: check.mjs [DIRECTORY-NAME], the document on stdin");
}
const text = readDocument();
if (text.trim() === "") {
  fail("no document: pass SKILL.md as stdin, or hand it in as a file");
}
const findings = check(text, directory).sort((a, b) => a.line - b.line);
for (const { severity, line, text } of findings) {
  console.log(`line ${line}: ${severity}: ${text}`);
}
const errors = findings.filter(({ severity }) => severity === "error").length;
console.log(`${errors} errors, ${findings.length - errors} other findings`);
process.exitCode = errors > 0 ? 1 : 0;
