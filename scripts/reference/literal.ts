/** Formats data as TypeScript source, on one line if it fits within `width` characters. */
export function literal(value: unknown, width = 100, indent = ""): string {
  const flat = flatLiteral(value);
  if (flat.length + indent.length <= width || typeof value !== "object" || value === null) return flat;
  const inner = `${indent}  `;
  const parts = Array.isArray(value)
    ? value.map((item) => literal(item, width, inner))
    : fields(value).map(([key, part]) => `${key}: ${literal(part, width, inner)}`);
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  return `${open}\n${parts.map((part) => `${inner}${part},\n`).join("")}${indent}${close}`;
}

function flatLiteral(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flatLiteral).join(", ")}]`;
  if (typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype) {
    const parts = fields(value).map(([key, part]) => `${key}: ${flatLiteral(part)}`);
    return parts.length === 0 ? "{}" : `{ ${parts.join(", ")} }`;
  }
  return JSON.stringify(value) ?? String(value);
}

function fields(value: object): [string, unknown][] {
  return Object.entries(value).map(([key, part]) => [/^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key), part]);
}
