/** The index that hooks match against: finding it. Loads little. */

export {
  indexMark,
  isLocked,
  lock,
  readIndex,
  unlock,
} from "./index/index_files.ts";
export { indexKey } from "./index/index_key.ts";
export { possible } from "./index/needles.ts";
export { openEntry, type Standing, standing } from "./index/standing.ts";
export type {
  IndexedSkill,
  IndexEntry,
  IndexGround,
  MatchIndex,
} from "./index/types.ts";
