/** A reason why nothing can be built, worded for the person at the terminal. */
export class BuildError extends Error {
  override readonly name = "BuildError";
}
