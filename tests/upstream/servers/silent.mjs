// Reads and never says a word.
import process from "node:process";
process.stdin.resume();
setInterval(() => {}, 1000);
