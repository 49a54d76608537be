import { FurrowError } from "../../core/errors.ts";

/**
 * The error for a host that breaks the frame protocol. `said` is what the host sent, which may be any bytes; only the
 * start is shown.
 */
export function brokenProtocol(what: string, said?: string): FurrowError {
  return new FurrowError("E_PROTOCOL", {
    what,
    ...(said !== undefined && { current: quoted(said) }),
    expected: "the records of a frame, in order",
    hint: "Find out what writes to the output of shells on the host (start-up files, a wrapper around sh), then rerun",
  });
}

function quoted(said: string): string {
  const begin = said.slice(0, 80).replaceAll(/[^\x20-\x7e]/g, "?");
  return `"${begin}${said.length > 80 ? "…" : ""}"`;
}
