/** The longest text that is parsed, in characters. */
const longest = 256 * 1024;

/** Parses JSON or XML; undefined for any other text, and for a text that is too long to parse. */
export function valueOfText(text: string): unknown {
  if (text.length > longest) return undefined;
  const start = text.trimStart()[0];
  if (start === "{" || start === "[") return json(text);
  return start === "<" ? xml(text) : undefined;
}

function json(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
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
  }
  return open.length === 1 && root.children.length === 1 && root.text.trim() === "" ? childrenOf(root) : undefined;
}

function attributesOf(text: string): Record<string, string> {
  const pairs = text.matchAll(/([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g);
  return Object.fromEntries([...pairs].map(([, name = "", double, single]) => [`@${name}`, double ?? single ?? ""]));
}

function childrenOf({ children }: Element): Record<string, unknown> {
  const byName = new Map<string, unknown[]>();
  for (const child of children) byName.set(child.name, [...(byName.get(child.name) ?? []), valueOf(child)]);
  return Object.fromEntries([...byName].map(([name, values]) => [name, values.length === 1 ? values[0] : values]));
}

function valueOf(element: Element): unknown {
  const text = element.text.trim();
  const inside = { ...element.attributes, ...childrenOf(element) };
  if (Object.keys(inside).length === 0) return text;
  return text === "" ? inside : { ...inside, "#text": text };
}
