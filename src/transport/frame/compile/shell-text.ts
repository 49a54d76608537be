/** Shell text as it is, but for `§{`, which stands for `${` and its JavaScript meaning. */
export function sh(strings: TemplateStringsArray, ...values: readonly (string | number)[]): string {
  return strings.raw.map((part, index) => part.replaceAll("§{", "${") + String(values[index] ?? "")).join("");
}
