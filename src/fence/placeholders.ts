/** What stands in a Plan for the directories that each run makes anew. */

/** The run's own directory, which holds the other two. */
export const RUN = "<run>";
/** TMPDIR and HOME of the script. */
export const SCRATCH = "<scratch>";
/** `DENO_DIR`. */
export const DENODIR = "<denodir>";
