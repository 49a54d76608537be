let isOwn = false;

/** Ends the process at once, and records that furrow itself decided to. */
export function endNow(code: number): never {
  isOwn = true;
  process.exit(code);
}

/** True if furrow itself is ending the process. */
export function isOwnEnd(): boolean {
  return isOwn;
}
