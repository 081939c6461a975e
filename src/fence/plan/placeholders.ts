/** What stands in a Plan for what each run, or each server, has of its own. */

/** The run's own directory, which holds the other two. */
export const RUN = "<run>";
/** TMPDIR and HOME of the script. */
export const SCRATCH = "<scratch>";
/** `DENO_DIR`. */
export const DENODIR = "<denodir>";
/** The number of the server's process, as the fragment of a `data:` URL. */
export const SERVER = "<server>";
