/** Media types of bundle files, by extension and nothing else. */

// No prototype: an extension such as `constructor` must not find anything.
const TYPES: Readonly<Record<string, string>> = Object.assign(
  Object.create(null),
  {
    md: "text/markdown",
    txt: "text/plain",
    json: "application/json",
    yaml: "application/yaml",
    yml: "application/yaml",
    csv: "text/csv",
    js: "text/javascript",
    mjs: "text/javascript",
    cjs: "text/javascript",
    ts: "text/x-typescript",
    mts: "text/x-typescript",
    py: "text/x-python",
    sh: "text/x-shellscript",
    html: "text/html",
    css: "text/css",
    xml: "application/xml",
    xsd: "application/xml",
    svg: "image/svg+xml",
    png: "image/png",
    jpg: "image/jpeg",
    jpeg: "image/jpeg",
    gif: "image/gif",
    webp: "image/webp",
    pdf: "application/pdf",
    zip: "application/zip",
  },
);

/**
 * The media type of a file by its name's extension, in any case;
 * `application/octet-stream` when there is none or it is not known.
 */
export function mediaType(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const dot = name.lastIndexOf(".");
  const type = dot < 0 ? undefined : TYPES[name.slice(dot + 1).toLowerCase()];
  return type ?? "application/octet-stream";
}
