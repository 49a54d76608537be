let isOwn = false;

/** Ends the process at once, as furrow's own decision. */
export function endNow(code: number): never {
  isOwn = true;
  process.exit(code);
}

/** True if furrow itself is ending the process. */
export function isOwnEnd(): boolean {
  return isOwn;
}
