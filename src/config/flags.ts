/** What the command line said, before anything of it is understood. */

/** `--skills DIR` as it stood, or the JSON of a `--skill-dir`. */
export type SkillsFlag = string | { readonly json: string };

/** `--prompt-file PATH`, or the text of a `--prompt-dir`. */
export type PromptFlag =
  | { readonly file: string }
  | { readonly dir: string };

/** The flags of every subcommand, and those of `serve`. */
export interface Flags {
  /** In the order in which they stood. */
  readonly skills?: readonly SkillsFlag[];
  /** In the order in which they stood. */
  readonly prompts?: readonly PromptFlag[];
  /** Every `--workspace DIR`. */
  readonly workspaces?: readonly string[];
  /** `--no-run`. */
  readonly noRun?: boolean;
  /** `--skip-native`. */
  readonly skipNative?: boolean;
  /** Every `--poll SECONDS`. */
  readonly poll?: readonly string[];
  /** Every `--http ADDR`. */
  readonly http?: readonly string[];
  /** Every `--host NAME`. */
  readonly hosts?: readonly string[];
  /** `--behind-tls-proxy`. */
  readonly behindTlsProxy?: boolean;
  /** `--no-token`. */
  readonly noToken?: boolean;
  /** `--allow-run`. */
  readonly allowRun?: boolean;
}
