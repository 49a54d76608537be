/**
 * What a zod issue says is expected, as a phrase: `a number`. Our own schemas say it themselves; the messages of zod, which
 * other people's schemas keep, name what was received too, and that is shown beside it anyway.
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
