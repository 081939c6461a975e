// Counts what is in a text. Shows the four ways in and out of a fenced script:
// arguments, stdin, handed-in files, and files left in SKILL_OUT.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";

const WORDS_A_MINUTE = 220;

function usage(problem) {
  console.error(`${problem}\nusage: stats.mjs [--top N] [--min N] [FILE...]`);
  process.exit(2);
}

function readArguments(argv) {
  const options = { top: 10, min: 4, names: [] };
  for (let i = 0; i < argv.length; i++) {
    const argument = argv[i];
    if (argument !== "--top" && argument !== "--min") {
      if (argument.startsWith("-")) usage(`unknown option ${argument}`);
      options.names.push(argument);
      continue;
    }
    const value = Number(argv[++i]);
    if (!Number.isInteger(value) || value < 1 || value > 100) {
      usage(`${argument} takes a whole number from 1 to 100`);
    }
    options[argument.slice(2)] = value;
  }
  return options;
}

/** Handed-in files lie beside SKILL_OUT, in `in`. */
function handedIn(names) {
  const folder = join(dirname(process.env.SKILL_OUT), "in");
  let present;
  try {
    present = readdirSync(folder);
  } catch {
    present = [];
  }
  const missing = names.filter((name) => !present.includes(name));
  if (missing.length > 0) {
    usage(
      `no such file was handed in: ${missing.join(", ")}` +
        ` (there are: ${present.join(", ") || "none"})`,
    );
  }
  return (names.length > 0 ? names : present.sort()).map((name) => ({
    name,
    text: readFileSync(join(folder, name), "utf8"),
  }));
}

function count({ name, text }, { top, min }) {
  const words =
    text.toLowerCase().match(/[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*/gu) ?? [];
  const times = new Map();
  for (const word of words) {
    if ([...word].length >= min) times.set(word, (times.get(word) ?? 0) + 1);
  }
  const frequent = [...times]
    .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
    .slice(0, top)
    .map(([word, n]) => ({ word, times: n }));
  return {
    name,
    lines: text === ""
      ? 0
      : text.split("\n").length - (text.endsWith("\n") ? 1 : 0),
    words: words.length,
    characters: [...text].length,
    bytes: new TextEncoder().encode(text).length,
    readingMinutes: Math.round((words.length / WORDS_A_MINUTE) * 10) / 10,
    frequent,
  };
}

const options = readArguments(process.argv.slice(2));
const texts = handedIn(options.names);
if (texts.length === 0) {
  const text = readFileSync(0, "utf8");
  if (text !== "") texts.push({ name: "stdin", text });
}
if (texts.length === 0) {
  console.error("nothing to count: give a text on stdin or hand in a file");
  process.exit(1);
}

const report = texts.map((text) => count(text, options));
for (const one of report) {
  console.log(
    `${one.name}: ${one.lines} lines, ${one.words} words, ${one.characters} characters,` +
      ` about ${one.readingMinutes} min to read`,
  );
  for (const { word, times } of one.frequent) {
    console.log(`  ${String(times).padStart(5)}  ${word}`);
  }
}
writeFileSync(
  join(process.env.SKILL_OUT, "report.json"),
  JSON.stringify(report, null, 2) + "\n",
);
