/** At least 60 skills that show everything a tree may hold, always the same. */

import type { Entry } from "../support/tree.ts";

/** A tree of skills, and what is to be served of it. */
export interface ManySkills {
  readonly entries: Record<string, Entry>;
  /** Paths of the skills that the Skills extension lists, in no order. */
  readonly served: readonly string[];
  /** Paths of the skills that it leaves out. */
  readonly leftOut: readonly string[];
}

/** File names whose URIs are written with care. */
const ODD_NAMES = [
  "two words.md",
  "a#b.md",
  "100%.md",
  "%41.md",
  "why?.md",
  "a&b=c+d.md",
  "'quoted' \"twice\".md",
  "semi;colon:and@at.md",
  "[brackets]{braces}.md",
  "back\\slash.md",
  "😀.md",
  "caf\u00e9.md",
  "cafe\u0301.md",
  "\u65e5\u672c\u8a9e.md",
  "~tilde^caret|pipe.md",
];

/** Makes them. Prefixes, nesting, odd names, bytes, shared files, faults. */
export function manySkills(): ManySkills {
  const entries: Record<string, Entry> = {};
  const served: string[] = [];
  const add = (path: string, more = "", body = `Do ${path}.\n`) => {
    const name = path.slice(path.lastIndexOf("/") + 1);
    entries[`${path}/SKILL.md`] =
      `---\nname: ${name}\ndescription: Does ${path}, when it is asked to.\n${more}---\n${body}`;
    served.push(path);
  };
  entries["shared/style.md"] = "---\nname: House style\n---\nWrite well.\n";
  entries["shared/deep/tone.md"] = "Be kind.\n";
  // The suite looks for a directory in the first skill of the list.
  add("AAA/first", 'title: The first\nmetadata:\n  n: "1"\n');
  entries["AAA/first/docs/guide.md"] = "Read me.\n";
  entries["AAA/first/empty"] = { dir: true };
  entries["AAA/first/deep/er/empty"] = { dir: true };
  for (let i = 0; i < 24; i++) {
    const path = `plain-${i}`;
    add(path, i % 3 === 0 ? "license: MIT\nx-own:\n  list: [1, two]\n" : "");
    entries[`${path}/scripts/run-${i}.mjs`] = `console.log(${i});\n`;
    entries[`${path}/${ODD_NAMES[i % ODD_NAMES.length]}`] = `Odd ${i}.\n`;
    entries[`${path}/data.bin`] = bytes(i);
  }
  for (let i = 0; i < 14; i++) {
    add(["acme", "Acme.Corp/tools", "a_b/c.d"][i % 3] + `/prefixed-${i}`);
  }
  for (let i = 0; i < 6; i++) {
    add(`outer-${i}`);
    add(`outer-${i}/inner-${i}`);
    add(`outer-${i}/inner-${i}/innermost-${i}`);
    entries[`outer-${i}/inner-${i}/lib/${ODD_NAMES[i]}`] = `Inside ${i}.\n`;
  }
  for (let i = 0; i < 6; i++) {
    add(`citing-${i}`, "references: [../shared/style.md]\n");
    add(
      `citing-${i}/deeper-${i}`,
      "references: [../../shared/deep/tone.md, ../../shared/style.md, ../gone.md]\n",
    );
  }
  add("odd-names");
  for (const name of ODD_NAMES) {
    entries[`odd-names/${name}`] = `This is ${name}.\n`;
    entries[`odd-names/in ${name}/x.md`] = "x\n";
  }
  entries["odd-names/.hidden"] = "not served\n";
  entries["odd-names/.gitignore"] = "ignored.md\n";
  entries["odd-names/ignored.md"] = "not served\n";
  entries["odd-names/marked.md"] = "\ufeffstarts with a mark\n";
  entries["odd-names/nothing.md"] = "";
  return { entries, served, leftOut: leaveOut(entries) };
}

/** Adds skills that the rules of the extension leave out. */
function leaveOut(entries: Record<string, Entry>): string[] {
  const faults: Record<string, Record<string, Entry>> = {
    "wrong-name": { "SKILL.md": front("name: another\ndescription: d") },
    "no-description": { "SKILL.md": front("name: no-description") },
    "no-json": {
      "SKILL.md": front("name: no-json\ndescription: d\nbound: .inf"),
    },
    "taken": {
      "SKILL.md": front(
        "name: taken\ndescription: d\nreferences: [../shared/style.md]",
      ),
      "shared/style.md": "a file of its own\n",
    },
    "too-many": { "SKILL.md": front("name: too-many\ndescription: d") },
    "too-large": {
      "SKILL.md": front("name: too-large\ndescription: d"),
      "large.bin": new Uint8Array(16 * 1024 * 1024),
    },
  };
  for (let i = 0; i < 512; i++) faults["too-many"]![`files/${i}.txt`] = "";
  for (const [name, files] of Object.entries(faults)) {
    for (const [path, entry] of Object.entries(files)) {
      entries[`${name}/${path}`] = entry;
    }
  }
  return Object.keys(faults);
}

function front(text: string): string {
  return `---\n${text}\n---\nBody.\n`;
}

/** Bytes that are no UTF-8, of several lengths. */
function bytes(seed: number): Uint8Array {
  return Uint8Array.from(
    { length: 1 + seed * 101 },
    (_, i) => i === 0 ? 0xff : (i * 31 + seed * 7) & 0xff,
  );
}
