import { FurrowError } from "../../../core/errors.ts";

/** The reason why Google would refuse a planned call. */
export interface Refused {
  /** A short and stable code for scripts: `quota`. */
  readonly code: string;
  readonly what: string;
  readonly current?: string;
  readonly hint: string;
}

/** The error for a planned call that Google would refuse. */
export function refused({ code, what, current, hint }: Refused): FurrowError {
  const details = [`refused: ${code}`];
  return new FurrowError("E_REFUSED", { what, ...(current !== undefined && { current }), details, hint });
}
