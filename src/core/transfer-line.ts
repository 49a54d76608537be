/** How far a transfer is, in bytes; without `total` nobody knows how many there are. */
export interface Transferred {
  readonly done: number;
  readonly total?: number;
}

const form = /^furrow: (\d{1,15})(?: of (\d{1,15}))? bytes$/;

/** The line by which a step says how far its transfer is: `furrow: 123 of 456 bytes`. Scripts print it as well. */
export function transferLine({ done, total }: Transferred): string {
  return `furrow: ${done}${total === undefined ? "" : ` of ${total}`} bytes`;
}

/** What such a line says; undefined for any other. */
export function readTransferLine(line: string): Transferred | undefined {
  const [, done, total] = form.exec(line) ?? [];
  if (done === undefined) return undefined;
  return { done: Number(done), ...(total !== undefined && { total: Number(total) }) };
}
