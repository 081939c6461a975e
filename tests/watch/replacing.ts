/** Replaces a skill's directory by a link and back, until stdin ends. */

const [skill, elsewhere] = Deno.args as [string, string];

function put(path: string, make: (path: string) => void): void {
  make(`${path}.t`);
  Deno.renameSync(`${path}.t`, path);
}

let ended = false;
const input = Deno.stdin.readable.pipeTo(new WritableStream());
void input.finally(() => ended = true);
let loops = 0;
while (!ended) {
  for (let n = 0; n < 20; n++, loops++) {
    put(`${skill}/f.txt`, (path) => Deno.symlinkSync("nowhere", path));
    Deno.renameSync(`${skill}/d`, `${skill}/.d`);
    Deno.symlinkSync(elsewhere, `${skill}/d`);
    put(`${skill}/f.txt`, (path) => Deno.writeTextFileSync(path, `${loops}`));
    Deno.removeSync(`${skill}/d`);
    Deno.renameSync(`${skill}/.d`, `${skill}/d`);
    put(
      `${skill}/.gitignore`,
      (path) => Deno.writeTextFileSync(path, loops % 2 ? "*.x\n" : ""),
    );
  }
  await new Promise((resolve) => setTimeout(resolve, 0));
}
await Deno.stdout.write(new TextEncoder().encode(`${loops}`));
