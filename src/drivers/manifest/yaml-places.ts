import { type Event, EVENT_ID, getScalarValue } from "js-yaml";

/** The lines of a string. */
export class Lines {
  readonly #starts: readonly number[];

  constructor(text: string) {
    const starts = [0];
    for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
    this.#starts = starts;
  }

  /** The number of the line, from 1, that contains the character at an offset. */
  lineOf(offset: number): number {
    let [from, to] = [0, this.#starts.length];
    while (to - from > 1) {
      const middle = (from + to) >> 1;
      if ((this.#starts[middle] ?? 0) <= offset) from = middle;
      else to = middle;
    }
    return from + 1;
  }
}

/** The start of a document's content. */
export interface Start {
  /** The offset of the content's first character in the text. */
  readonly start: number;
  /** The index of the content's event. */
  readonly event: number;
}

/** The start of each document's content. */
export function startsOf(events: readonly Event[]): Start[] {
  const starts: Start[] = [];
  for (const [index, { type }] of events.entries()) {
    if (type !== EVENT_ID.DOCUMENT) continue;
    const content = events[index + 1];
    if (content !== undefined) starts.push({ start: offsetOf(content) ?? 0, event: index + 1 });
  }
  return starts;
}

/**
 * The offsets of a list's items, undefined for an empty item; the list is a value in a document's mapping. `mapping` is
 * the index of the mapping's event.
 */
export function itemStarts(
  text: string,
  events: readonly Event[],
  mapping: number,
  key: string,
): (number | undefined)[] {
  if (events[mapping]?.type !== EVENT_ID.MAPPING) return [];
  for (let at = mapping + 1; at < events.length; at = afterNode(events, afterNode(events, at))) {
    const event = events[at];
    if (event === undefined || event.type === EVENT_ID.POP) return [];
    if (event.type !== EVENT_ID.SCALAR || getScalarValue(text, event) !== key) continue;
    if (events[at + 1]?.type !== EVENT_ID.SEQUENCE) return [];
    const starts: (number | undefined)[] = [];
    for (let item = at + 2; events[item]?.type !== EVENT_ID.POP; item = afterNode(events, item)) {
      const found = events[item];
      if (found === undefined) break;
      starts.push(offsetOf(found));
    }
    return starts;
  }
  return [];
}

/** The index of the event after a node, which may contain others. */
function afterNode(events: readonly Event[], from: number): number {
  let open = 0;
  let at = from;
  do {
    const type = events[at]?.type;
    if (type === EVENT_ID.MAPPING || type === EVENT_ID.SEQUENCE) open += 1;
    else if (type === EVENT_ID.POP) open -= 1;
    at += 1;
  } while (open > 0 && at < events.length);
  return at;
}

/** The offset of an anchor, of a tag, or of the content; undefined for an empty value. */
function offsetOf(event: Event): number | undefined {
  const offsets =
    event.type === EVENT_ID.SCALAR
      ? [event.anchorStart, event.tagStart, event.valueStart]
      : event.type === EVENT_ID.MAPPING || event.type === EVENT_ID.SEQUENCE
        ? [event.anchorStart, event.tagStart, event.start]
        : event.type === EVENT_ID.ALIAS
          ? [event.anchorStart]
          : [];
  const found = offsets.filter((offset) => offset >= 0);
  return found.length === 0 ? undefined : Math.min(...found);
}

/**
 * The offset of the first key that is a mapping or a list, as in an unrendered template; undefined if there is no such
 * key.
 */
export function collectionKey(events: readonly Event[]): number | undefined {
  const open: { readonly isMapping: boolean; nodes: number }[] = [];
  for (const event of events) {
    if (event.type === EVENT_ID.POP) {
      open.pop();
      continue;
    }
    const around = open.at(-1);
    const isCollection = event.type === EVENT_ID.MAPPING || event.type === EVENT_ID.SEQUENCE;
    // In a mapping, keys and values alternate.
    if (isCollection && around?.isMapping === true && around.nodes % 2 === 0) return offsetOf(event);
    if (around !== undefined) around.nodes += 1;
    if (isCollection || event.type === EVENT_ID.DOCUMENT)
      open.push({ isMapping: event.type === EVENT_ID.MAPPING, nodes: 0 });
  }
  return undefined;
}

/** The number, from 1, of the document that contains a line; found by counting the document separators before it. */
export function documentAt(text: string, line: number): number {
  const before = text.split("\n").slice(0, line);
  const first = before.findIndex((one) => /\S/.test(one) && !/^\s*#|^%/.test(one));
  const separators = before.filter((one, index) => index > first && /^---(?:\s|$)/.test(one));
  return 1 + separators.length;
}
