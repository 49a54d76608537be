/**
 * The expectation in a zod issue, as a phrase: `a number`. Our own schemas say this in their messages. Zod's own
 * messages, which users' schemas have, also name the received value; that part is removed, because errors show the
 * value separately.
 */
export function expectedOf({ message }: { readonly message: string }): string {
  const said =
    /^(?:Invalid input|Too small|Too big|Invalid option|Invalid string): (?:expected )?(.+?)(?:, received .+)?$/.exec(
      message,
    )?.[1] ?? (message === "Invalid input" ? "another type or value" : message);
  return /^(string|number|boolean|date|bigint|record|tuple)$/.test(said)
    ? `a ${said}`
    : /^(array|object)$/.test(said)
      ? `an ${said}`
      : said;
}
