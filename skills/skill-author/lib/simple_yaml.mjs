// Reads the YAML that frontmatter commonly is: mappings and lists by
// indentation, [a, b] lists, plain and quoted scalars, | and > texts. Whatever
// else it meets becomes a finding rather than a guess.

const KEY =
  /^("(?:[^"\\]|\\.)*"|'[^']*'|[^\s:#'"[\]{},&*!|>%@`-][^:#]*?|-[^\s:][^:]*?)\s*:(?:\s+(.*))?$/;

/** A scalar, a `[a, b]` list, or undefined with a complaint. */
function scalar(text, complain) {
  const plain = text.replace(/\s+#.*$/, "").trim();
  if (/^[&*]/.test(plain)) return complain("anchors and aliases are refused");
  if (/^\[.*\]$/.test(plain)) {
    const inner = plain.slice(1, -1).trim();
    return inner === ""
      ? []
      : inner.split(",").map((item) => scalar(item, complain));
  }
  if (/^[[{]/.test(plain)) {
    return complain("more YAML than this check reads; use: skillfence check");
  }
  if (/^'.*'$/.test(plain)) return plain.slice(1, -1).replaceAll("''", "'");
  if (/^".*"$/.test(plain)) {
    try {
      return JSON.parse(plain);
    } catch {
      return plain.slice(1, -1);
    }
  }
  if (/:\s/.test(plain)) {
    return complain("a plain text with a colon and a space: put it in quotes");
  }
  if (/^(true|false)$/.test(plain)) return plain === "true";
  if (/^-?\d+(\.\d+)?$/.test(plain)) return Number(plain);
  return plain === "" || plain === "~" || plain === "null" ? null : plain;
}

/** `{ values, lineOf(key), findings }`; line 1 is the opening fence. */
export function readSimpleYaml(block) {
  const findings = [];
  const keyLines = new Map();
  const lines = block.split("\n").map((raw, index) => ({
    raw,
    number: index + 2,
    indent: raw.length - raw.trimStart().length,
    text: raw.trim(),
  }));
  let at = 0;
  const complainAt = (line) => (text) => {
    findings.push({ severity: "error", line, text });
    return undefined;
  };
  const skipBlank = () => {
    while (
      at < lines.length &&
      (lines[at].text === "" || lines[at].text.startsWith("#"))
    ) at++;
  };

  function blockText(parentIndent) {
    const taken = [];
    while (
      at < lines.length &&
      (lines[at].text === "" || lines[at].indent > parentIndent)
    ) {
      taken.push(lines[at++].text);
    }
    return taken.join("\n").trim();
  }

  function valueAfter(rest, line, parentIndent) {
    if (/^[|>]/.test(rest ?? "")) return blockText(parentIndent);
    if (rest !== undefined && rest.replace(/^#.*/, "") !== "") {
      return scalar(rest, complainAt(line.number));
    }
    skipBlank();
    const next = lines[at];
    if (next === undefined) return null;
    const list = /^-(\s|$)/.test(next.text);
    return next.indent > parentIndent || (list && next.indent === parentIndent)
      ? node(next.indent)
      : null;
  }

  function node(indent) {
    return /^-(\s|$)/.test(lines[at].text) ? list(indent) : mapping(indent);
  }

  function list(indent) {
    const items = [];
    for (skipBlank(); at < lines.length; skipBlank()) {
      const line = lines[at];
      const match = /^-(?:\s+(.*))?$/.exec(line.text);
      if (line.indent !== indent || !match) break;
      if (match[1] !== undefined && KEY.test(match[1])) {
        // `- key: value`: the rest of the line opens a mapping two columns in.
        const inner = line.raw.indexOf(match[1]);
        lines[at] = { ...line, indent: inner, text: match[1] };
        items.push(mapping(inner));
      } else {
        at++;
        items.push(valueAfter(match[1], line, indent));
      }
    }
    return items;
  }

  function mapping(indent) {
    const values = Object.create(null);
    for (skipBlank(); at < lines.length; skipBlank()) {
      const line = lines[at];
      if (line.indent < indent) break;
      at++;
      if (/^\s*\t/.test(line.raw)) {
        complainAt(line.number)("a tab cannot indent YAML");
      }
      const match = line.indent === indent ? KEY.exec(line.text) : null;
      if (!match) {
        complainAt(line.number)("cannot read this line; expected `key: value`");
        continue;
      }
      const key = match[1].replace(/^(["'])(.*)\1$/, "$2");
      if (key in values) complainAt(line.number)(`${key} stands here twice`);
      if (!keyLines.has(key)) keyLines.set(key, line.number);
      values[key] = valueAfter(match[2], line, indent);
    }
    return values;
  }

  skipBlank();
  const values = at < lines.length ? mapping(lines[at].indent) : {};
  return { values, findings, lineOf: (key) => keyLines.get(key) ?? 1 };
}
