/** Formats a number with its noun: `1 node`, `3 nodes`. */
export function counted(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/** The form of "to be" that follows a number: `is` after 1. */
export function isOrAre(number: number): "is" | "are" {
  return number === 1 ? "is" : "are";
}
