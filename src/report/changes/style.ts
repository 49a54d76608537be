import type { Mode } from "../../core/events.ts";
import type { Paint } from "../text/colours.ts";

/** How changes are shown. */
export interface ChangeStyle {
  readonly diff: boolean;
  /** Whether long lines of a diff are shown whole. */
  readonly isWhole?: boolean;
  /** Determines the wording: changes were made (apply) or would be made (check). */
  readonly mode: Mode;
  readonly paint: Paint;
}
