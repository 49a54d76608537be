import { constructFromEvents, type Event, parseEvents, YAMLException } from "js-yaml";
import { isRecord } from "../../core/facts/symbols.ts";
import { optimized } from "../../core/optimizer.ts";
import { ManifestProblem } from "./problem.ts";
import { asKubectlReads, badKey, protoKey } from "./scalars.ts";
import { collectionKey, documentAt, itemStarts, Lines, startsOf } from "./yaml-places.ts";

/** A value in a YAML text, and functions that return the positions of the value and its parts. */
export interface Placed {
  readonly value: unknown;
  /** `shop.yaml, line 12 (document 2)`. */
  readonly place: string;
  /** The place of an item of the value's `items`. */
  readonly itemPlace: (index: number) => string;
}

/**
 * Parses the documents in a string, except empty ones. `name` identifies the text in messages. Throws ManifestProblem
 * if the text is not YAML, or contains anything that JSON cannot express.
 */
export function yamlValues(given: string, name: string): Placed[] {
  // Every document may begin with a byte order mark (YAML 1.2.2, 5.2); the parser recognizes only the first one.
  const text = given.replaceAll(/^((?:---|\.\.\.)[^\n]*\n)\uFEFF/gm, "$1");
  const lines = new Lines(text);
  const read = { source: text, schema: asKubectlReads, maxDepth: 1000, maxAliases: 10_000, maxTotalMergeKeys: 100_000 };
  let events: Event[] = [];
  try {
    events = text.length < longText ? parseEvents(text, read) : optimized(() => parseEvents(text, read));
    const starts = startsOf(events);
    return constructFromEvents(events, read).flatMap((value, index) => {
      const { start = 0, event = 0 } = starts[index] ?? {};
      const at = (offset: number): string => `${name}, line ${lines.lineOf(offset)} (document ${index + 1})`;
      measure(value, at(start), { left: largest });
      const items = lazily(() => itemStarts(text, events, event, "items"));
      const itemPlace = (item: number): string => at(items()[item] ?? start);
      return value === null || value === undefined ? [] : [{ value, place: at(start), itemPlace }];
    });
  } catch (error) {
    if (error instanceof YAMLException) throw faultOf(error, text, name, lineOfFault(error, events, lines));
    // The stack overflowed.
    if (error instanceof RangeError) throw notYaml(name, "mappings or lists are nested too deeply");
    throw error;
  }
}

/** For texts of at least this length, the optimizing compiler saves more time than it costs. */
const longText = 50_000;

/** The API does not accept larger requests. */
const largest = 3 * 2 ** 20;

/**
 * furrow's own messages for the parser's errors. The parser's own messages are not shown: some quote the text, which
 * may contain a secret.
 */
const faults: readonly (readonly [RegExp, string])[] = [
  [new RegExp(`^${badKey}$`), badKey],
  [new RegExp(`^${protoKey}$`), protoKey],
  [/^bad (explicit )?indentation|^deficient indentation/, "the indentation is wrong"],
  [/^duplicated mapping key/, "a key is given twice in one mapping"],
  [/^unexpected end|^missed comma|^expected ':'|multiline key/, "a quote, bracket, comma or colon is missing"],
  [/^nesting exceeded/, "mappings or lists are nested too deeply"],
  [/^tab characters/, "a tab is used as indentation, where YAML allows only spaces"],
  [/^unknown \w+ tag|^cannot resolve a node|^undeclared tag/, "a tag is not supported"],
  [/^unidentified alias/, "an alias has no anchor before it"],
  [/^recursive alias/, "an alias is inside the value that it refers to"],
];

/** The line of the parser's error, from 1. For a key that is a mapping or a list, the parser gives no line. */
function lineOfFault({ reason, mark }: YAMLException, events: readonly Event[], lines: Lines): number {
  const key = reason === badKey && (mark?.line ?? 0) === 0 ? collectionKey(events) : undefined;
  return key === undefined ? (mark?.line ?? 0) + 1 : lines.lineOf(key);
}

function faultOf({ reason }: YAMLException, text: string, name: string, line: number): ManifestProblem {
  const place = `${name}, line ${line} (document ${documentAt(text, line)})`;
  if (/^(?:aliases|merge keys) exceeded/.test(reason)) return tooLarge(place);
  return notYaml(place, faults.find(([says]) => says.test(reason))?.[1] ?? "it is not valid YAML");
}

function notYaml(place: string, fault: string): ManifestProblem {
  return new ManifestProblem(
    "not-yaml",
    `${place}: ${fault}`,
    "Correct the manifest; furrow does not expand templates",
  );
}

function tooLarge(place: string): ManifestProblem {
  const message = `${place}: the document is larger than 3 MiB with its aliases expanded`;
  return new ManifestProblem("too-large", message, "Split the document: the API does not accept larger objects");
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
    throw notYaml(place, "a number is too large, or is NaN: JSON cannot represent it");
  }
}

function lazily<T>(compute: () => T): () => T {
  let computed: { readonly value: T } | undefined;
  return () => (computed ??= { value: compute() }).value;
}
