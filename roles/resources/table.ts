/**
 * Formats rows as columns; the first row contains the headings.
 *
 * @param texts the indexes of the left-aligned columns; the others contain numbers
 */
export function table(texts: readonly number[], rows: readonly (readonly string[])[]): string[] {
  const count = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, at) => Math.max(...rows.map((row) => (row[at] ?? "").length)));
  return rows.map((row) =>
    widths
      .map((width, at) => (texts.includes(at) ? (row[at] ?? "").padEnd(width) : (row[at] ?? "").padStart(width)))
      .join("  ")
      .trimEnd(),
  );
}

/** A number with at most one decimal: `7.5`, `12`; `?` if it is unknown. */
export function amount(number: number | undefined): string {
  return number === undefined ? "?" : String(Math.round(number * 10) / 10);
}

/** Bytes in GiB, with at most one decimal; `?` if they are unknown. */
export function gib(bytes: number | undefined): string {
  return amount(bytes === undefined ? undefined : bytes / 2 ** 30);
}

/** Cores and bytes as text: `1 core and 2 GiB`. */
export function sizeText(cores: number | undefined, bytes: number | undefined): string {
  return `${amount(cores)} ${amount(cores) === "1" ? "core" : "cores"} and ${gib(bytes)} GiB`;
}

/** Adds numbers; undefined if one of them is unknown, because a sum of the others would be too small. */
export function sum(numbers: readonly (number | undefined)[]): number | undefined {
  return numbers.reduce((all, one) => (all === undefined || one === undefined ? undefined : all + one), 0);
}
