/**
 * Makes the system calls it is told to, as `[label, number, ...arguments]`, and
 * prints for each its error number, or what it returned as a string.
 */

const LONG = Array(7).fill("i64");
const EXIT_GROUP = { x86_64: 231, aarch64: 94 }[Deno.build.arch];

const libc = Deno.dlopen("libc.so.6", {
  syscall: { parameters: LONG, result: "i64" },
  __errno_location: { parameters: [], result: "pointer" },
});
const errno = new Deno.UnsafePointerView(libc.symbols.__errno_location());

function call(number, args) {
  const words = [number, ...args, 0, 0, 0, 0, 0, 0].slice(0, 7).map(BigInt);
  return libc.symbols.syscall(...words);
}

/**
 * A failed call's error number. Between the call and the reading the engine may
 * make calls of its own that fail, so two readings in a row must agree.
 */
function errorOf(number, args) {
  let last = errno.getInt32();
  for (let attempt = 0; attempt < 8; attempt++) {
    if (call(number, args) !== -1n) return last;
    const now = errno.getInt32();
    if (now === last) return now;
    last = now;
  }
  throw new Error(`the error number of call ${number} changes`);
}

const said = {};
for (const [label, number, ...args] of JSON.parse(Deno.args[0])) {
  const result = call(number, args);
  // A child of a fork has come here too, and must not go on.
  if (label.startsWith("child") && result === 0n) call(EXIT_GROUP, [0]);
  said[label] = result === -1n ? errorOf(number, args) : `${result}`;
}
await Deno.stdout.write(new TextEncoder().encode(JSON.stringify(said)));
