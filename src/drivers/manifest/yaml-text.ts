import { type Document, isMap, isScalar, isSeq, LineCounter, type Node, parseAllDocuments, visit } from "yaml";
import { isRecord } from "../../core/facts/symbols.ts";
import { ManifestProblem } from "./problem.ts";
import { asKubectlReads } from "./scalars.ts";

/** A value in a YAML text, and the functions that say where it and its parts are. */
export interface Placed {
  readonly value: unknown;
  /** `shop.yaml, line 12 (document 2)`. */
  readonly place: string;
  /** The place of an item in a list that is a part of the value. */
  readonly itemPlace: (part: string, index: number) => string;
}

/**
 * Parses the documents in a text, without those that are empty. `name` says in messages which text it is. Throws
 * ManifestProblem if the text is not YAML, or contains anything that JSON cannot express.
 */
export function yamlValues(text: string, name: string): Placed[] {
  const lines = new LineCounter();
  const options = { lineCounter: lines, prettyErrors: false, logLevel: "silent", merge: true } as const;
  try {
    const documents = parseAllDocuments(text, { ...options, schema: "yaml-1.1", customTags: asKubectlReads });
    return [...documents].flatMap((document, index) => {
      const at = (offset: number): string => `${name}, line ${lines.linePos(offset).line} (document ${index + 1})`;
      const value = valueOf(document, at);
      if (value === null) return [];
      const itemPlace = (part: string, item: number): string => {
        const node = document.getIn([part, item], true) as Node | undefined;
        return at(startOf(node) ?? startOf(document.contents) ?? 0);
      };
      return [{ value, place: at(startOf(document.contents) ?? 0), itemPlace }];
    });
  } catch (error) {
    // The stack is used up.
    if (error instanceof RangeError) throw notYaml(name, "mappings or lists are nested too deeply");
    throw error;
  }
}

function startOf(node: Node | null | undefined): number | undefined {
  return node?.range?.[0];
}

/** The API accepts no larger request. */
const largest = 3 * 2 ** 20;

function valueOf(document: Document, at: (offset: number) => string): unknown {
  const [fault] = [...document.errors, ...document.warnings];
  if (fault !== undefined) throw notYaml(at(fault.pos[0]), faults[fault.code] ?? "it is not valid YAML");
  const wrong = wrongKey(document);
  if (wrong !== undefined) throw notYaml(at(startOf(wrong) ?? 0), "a key is not a text");
  const start = at(startOf(document.contents) ?? 0);
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 10_000 });
  } catch (error) {
    // The message may quote the text, which may contain a secret.
    if (error instanceof RangeError) throw error;
    const isBomb = error instanceof ReferenceError && /excessive/i.test(error.message);
    throw isBomb ? tooLarge(start) : notYaml(start, "an alias has no anchor before it");
  }
  measure(value, start, { left: largest });
  return value;
}

/** By the parser's code. Its messages quote the text, which may contain a secret. */
const faults: Readonly<Partial<Record<string, string>>> = {
  BAD_INDENT: "the indentation is wrong",
  DUPLICATE_KEY: "a key is given twice in one mapping",
  MISSING_CHAR: "a quote, bracket, comma or colon is missing",
  RESOURCE_EXHAUSTION: "mappings or lists are nested too deeply",
  TAB_AS_INDENT: "a tab is used as indentation, where YAML allows only spaces",
  TAG_RESOLVE_FAILED: "a tag is not supported",
};

function notYaml(place: string, fault: string): ManifestProblem {
  return new ManifestProblem("not-yaml", `${place}: ${fault}`, "Correct the manifest; furrow expands no templates");
}

function tooLarge(place: string): ManifestProblem {
  const message = `${place}: the document is larger than 3 MiB with its aliases written out`;
  return new ManifestProblem("too-large", message, "Divide the document: the API accepts no larger object");
}

/** A key that is a list or a mapping, or that a JavaScript object cannot have. */
function wrongKey(document: Document): Node | undefined {
  let found: Node | undefined;
  visit(document, {
    Pair(_key, { key }) {
      if (isMap(key) || isSeq(key) || (isScalar(key) && key.value === "__proto__")) found = key as Node;
      return found === undefined ? undefined : visit.BREAK;
    },
  });
  return found;
}

/** Throws ManifestProblem for a value that is too large, or that JSON cannot express. */
function measure(value: unknown, place: string, size: { left: number }): void {
  size.left -= typeof value === "string" ? value.length + 2 : 2;
  if (size.left < 0) throw tooLarge(place);
  if (Array.isArray(value)) for (const item of value) measure(item, place, size);
  else if (isRecord(value)) {
    for (const [key, part] of Object.entries(value)) {
      size.left -= key.length;
      measure(part, place, size);
    }
  } else if (typeof value === "bigint" || (typeof value === "number" && !Number.isFinite(value))) {
    throw notYaml(place, "a number is too large, or is not a number: JSON cannot express it");
  }
}
