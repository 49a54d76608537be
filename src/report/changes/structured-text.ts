/** The longest text that is parsed, in characters. */
const longest = 256 * 1024;

/** The deepest nesting that is compared; there is a limit because the comparison recurses once for each level. */
const deepest = 200;

/** Parses JSON or XML; undefined for any other text, and for text that is too long or nested too deeply to compare. */
export function valueOfText(text: string): unknown {
  if (text.length > longest) return undefined;
  const start = text.trimStart()[0];
  if (start === "{" || start === "[") return json(text);
  return start === "<" ? xml(text) : undefined;
}

function json(text: string): unknown {
  try {
    const value = JSON.parse(text) as unknown;
    return isDeeper(value, deepest) ? undefined : value;
  } catch {
    return undefined;
  }
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((part) => isDeeper(part, levels - 1));
}

interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Element[];
  text: string;
}

const token =
  /<\?[^]*?\?>|<!--[^]*?-->|<!\[CDATA\[([^]*?)\]\]>|<!DOCTYPE[^>[]*>|<(\/?)([\w:.-]+)((?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>|([^<]+)/gy;

/**
 * Parses an XML document into nested records: attributes as `@name`, text unchanged, repeated elements as lists. This
 * is good enough to show differences. Undefined if the document is not well-formed or has an internal DTD.
 */
function xml(text: string): unknown {
  const root: Element = { name: "", attributes: {}, children: [], text: "" };
  const open = [root];
  token.lastIndex = 0;
  while (token.lastIndex < text.length) {
    const found = token.exec(text);
    const top = open.at(-1);
    if (found === null || top === undefined) return undefined;
    const [, cdata, closes, name, attributes = "", isEmpty, plain] = found;
    top.text += cdata ?? plain ?? "";
    if (name === undefined) continue;
    if (closes === "/") {
      if (open.length === 1 || open.pop()?.name !== name) return undefined;
      continue;
    }
    const element: Element = { name, attributes: attributesOf(attributes), children: [], text: "" };
    top.children.push(element);
    if (isEmpty !== "/") open.push(element);
    if (open.length > deepest) return undefined;
  }
  return open.length === 1 && root.children.length === 1 && root.text.trim() === "" ? childrenOf(root) : undefined;
}

function attributesOf(text: string): Record<string, string> {
  const pairs = text.matchAll(/([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g);
  return Object.fromEntries([...pairs].map(([, name = "", double, single]) => [`@${name}`, double ?? single ?? ""]));
}

function childrenOf({ children }: Element): Record<string, unknown> {
  const byName = new Map<string, unknown[]>();
  for (const child of children) {
    const values = byName.get(child.name);
    if (values === undefined) byName.set(child.name, [valueOf(child)]);
    else values.push(valueOf(child));
  }
  return Object.fromEntries([...byName].map(([name, values]) => [name, values.length === 1 ? values[0] : values]));
}

function valueOf(element: Element): unknown {
  const text = element.text.trim();
  const inside = { ...element.attributes, ...childrenOf(element) };
  if (Object.keys(inside).length === 0) return text;
  return text === "" ? inside : { ...inside, "#text": text };
}
