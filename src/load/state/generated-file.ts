/** The file of a generated secret in the state folder. */
export function generatedFile(label: string): string {
  return `generated/${encodeURIComponent(label).replaceAll(".", "%2E")}`;
}
