/** The progress of a transfer in bytes; `total` is missing if the size is unknown. */
export interface Transferred {
  readonly done: number;
  readonly total?: number;
}

const form = /^furrow: (\d{1,15})(?: of (\d{1,15}))? bytes$/;

/**
 * The line with which a step reports the progress of its transfer: `furrow: 123 of 456 bytes`. Scripts print the same
 * line.
 */
export function transferLine({ done, total }: Transferred): string {
  return `furrow: ${done}${total === undefined ? "" : ` of ${total}`} bytes`;
}

/** The progress that a line from {@link transferLine} reports; undefined for any other line. */
export function readTransferLine(line: string): Transferred | undefined {
  const [, done, total] = form.exec(line) ?? [];
  if (done === undefined) return undefined;
  return { done: Number(done), ...(total !== undefined && { total: Number(total) }) };
}
