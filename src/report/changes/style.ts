import type { Mode } from "../../core/events.ts";
import type { Paint } from "../text/colours.ts";

/** How changes are shown. */
export interface ChangeStyle {
  readonly diff: boolean;
  /** What is said to have been done, or what would be. */
  readonly mode: Mode;
  readonly paint: Paint;
}
