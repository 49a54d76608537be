import { createRequire } from "node:module";
import type * as FastXmlParser from "fast-xml-parser";
import { FurrowError } from "../../core/errors.ts";

/**
 * An element of an XML document. `text` is the element's own text without surrounding whitespace; comments are omitted.
 */
export interface Xml {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly Xml[];
  readonly text: string;
}

const attributePrefix = "@";
const textName = "#text";
const attributesName = ":@";
type Ordered = Record<string, unknown>;

let loaded: typeof FastXmlParser | undefined;

/**
 * Loads the XML library on first use: only hosts with libvirt need it, and a kind's `parse` cannot wait for an import.
 */
function library(): typeof FastXmlParser {
  loaded ??= createRequire(import.meta.url)("fast-xml-parser") as typeof FastXmlParser;
  return loaded;
}

/** Reads an XML document. Throws FurrowError E_FACT if the text is not XML; `what` names the document in that error. */
export function parseXml(text: string, what: string): Xml {
  const { XMLParser } = library();
  const parser = new XMLParser({
    preserveOrder: true,
    ignoreAttributes: false,
    attributeNamePrefix: attributePrefix,
    textNodeName: textName,
    ignoreDeclaration: true,
    parseTagValue: false,
    parseAttributeValue: false,
    trimValues: false,
    processEntities: false,
  });
  try {
    const [root] = elements(parser.parse(text) as Ordered[]);
    if (root !== undefined && isWhole(text, root)) return root;
  } catch (error) {
    throw new FurrowError("E_FACT", {
      what: `the XML of ${what} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
      cause: error,
    });
  }
  throw new FurrowError("E_FACT", { what: `the XML of ${what} is cut off` });
}

/**
 * Checks the end of a document, because the parser accepts a truncated document as if all open elements were closed.
 */
function isWhole(text: string, root: Xml): boolean {
  const end = text.trimEnd();
  return end.endsWith(`</${root.name}>`) || (root.children.length === 0 && end.endsWith("/>"));
}

function elements(nodes: readonly Ordered[]): Xml[] {
  return nodes.flatMap((node) => {
    const name = Object.keys(node).find((key) => key !== attributesName && key !== textName);
    if (name === undefined) return [];
    const inner = (node[name] ?? []) as Ordered[];
    const attributes = Object.entries((node[attributesName] ?? {}) as Record<string, string>);
    return [
      element(
        name,
        Object.fromEntries(attributes.map(([key, value]) => [key.slice(attributePrefix.length), unescapeXml(value)])),
        elements(inner),
        textOf(inner),
      ),
    ];
  });
}

function textOf(inner: readonly Ordered[]): string {
  const parts = inner.map((part) => part[textName]).filter((part) => typeof part === "string");
  return unescapeXml(parts.join("").trim());
}

/** Writes an element as XML on one line. The inverse of {@link parseXml}. */
export function printXml({ name, attributes, children, text }: Xml): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}='${escapeXml(value)}'`);
  const inner = `${escapeXml(text)}${children.map(printXml).join("")}`;
  return inner === "" ? `<${name}${written.join("")}/>` : `<${name}${written.join("")}>${inner}</${name}>`;
}

/** Creates an element. */
export function element(
  name: string,
  attributes: Readonly<Record<string, string>> = {},
  children: readonly Xml[] = [],
  text = "",
): Xml {
  return { name, attributes, children, text };
}

/** The first child with this name; for several names, the descendant at that path. */
export function child(parent: Xml | undefined, ...path: readonly string[]): Xml | undefined {
  return path.reduce<Xml | undefined>((from, name) => from?.children.find((part) => part.name === name), parent);
}

/** All children with this name. */
export function childrenOf(parent: Xml | undefined, name: string): Xml[] {
  return parent?.children.filter((part) => part.name === name) ?? [];
}

/** An attribute of an element; empty if the attribute or the element is missing. */
export function attribute(of: Xml | undefined, name: string): string {
  return of?.attributes[name] ?? "";
}

/** The element with these attributes set. The value `undefined` removes an attribute. */
export function withAttributes(of: Xml, set: Readonly<Record<string, string | undefined>>): Xml {
  const merged = Object.entries({ ...of.attributes, ...set }).filter((entry) => entry[1] !== undefined);
  return { ...of, attributes: Object.fromEntries(merged) as Record<string, string> };
}

/**
 * The element, in which all children with one name are replaced. The new children take the position of the first old
 * child; if there was no old child, they go to the end.
 */
export function withChildren(of: Xml, name: string, replacement: readonly (Xml | undefined)[]): Xml {
  const at = of.children.findIndex((part) => part.name === name);
  const rest = of.children.filter((part) => part.name !== name);
  const before = at < 0 ? rest.length : at;
  const fresh = replacement.filter((part) => part !== undefined);
  return { ...of, children: [...rest.slice(0, before), ...fresh, ...rest.slice(before)] };
}

/**
 * The element, in which the only child with the given name is replaced by the result of `change`. `change` receives the
 * old child or an empty element.
 */
export function withChild(of: Xml, name: string, change: (old: Xml) => Xml | undefined): Xml {
  const [first, ...others] = childrenOf(of, name);
  return withChildren(of, name, [change(first ?? element(name)), ...others]);
}

/** Decodes the entities that libvirt writes into attributes and text. */
export function unescapeXml(text: string): string {
  const named: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
  return text.replaceAll(/&(?:#(\d+)|#x([\da-f]+)|(amp|lt|gt|quot|apos));/gi, (_all, decimal, hex, name) =>
    typeof name === "string"
      ? (named[name.toLowerCase()] ?? "")
      : String.fromCodePoint(decimal === undefined ? Number.parseInt(String(hex), 16) : Number(decimal)),
  );
}

/** Encodes text on one line, as libvirt does in attributes. */
export function escapeXml(text: string): string {
  const named: Readonly<Record<string, string>> = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
    "'": "&apos;",
    "\n": "&#10;",
    "\t": "&#9;",
  };
  return text.replaceAll(/["&'<>\n\t]/g, (sign) => named[sign] ?? sign);
}
