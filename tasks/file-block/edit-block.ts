import { FurrowError } from "../../src/authoring.ts";
import { type Anchor, joinLines, positionOf, spliceLines, splitLines, type TextLine } from "../file-line/text-lines.ts";

/** The marker lines above and below a block. */
export interface Markers {
  readonly begin: string;
  readonly end: string;
}

/** Creates the markers from a template such as `# {mark} managed by furrow`. */
export function markersOf(template: string): Markers {
  return { begin: template.replaceAll("{mark}", "BEGIN"), end: template.replaceAll("{mark}", "END") };
}

/**
 * Puts the block between its markers: it replaces the lines between existing markers, or is inserted with new markers
 * at the anchor. Doing this twice gives the same result. Throws FurrowError E_REFUSED if the markers do not form one
 * pair.
 */
export function putBlock(content: string, block: string, markers: Markers, anchor: Anchor): string {
  const texts = [markers.begin, ...linesOf(block, markers), markers.end];
  const lines = splitLines(content);
  const place = find(lines, markers);
  if (place === undefined) return joinLines(spliceLines(lines, positionOf(lines, anchor), 0, texts));
  const now = lines.slice(place.from, place.to).map(({ text }) => text);
  if (now.length === texts.length && now.every((text, index) => text === texts[index])) return content;
  return joinLines(spliceLines(lines, place.from, place.to - place.from, texts));
}

/** Removes the block and its markers. Throws FurrowError E_REFUSED if the markers do not form one pair. */
export function dropBlock(content: string, markers: Markers): string {
  const lines = splitLines(content);
  const place = find(lines, markers);
  return place === undefined ? content : joinLines(spliceLines(lines, place.from, place.to - place.from, []));
}

function linesOf(block: string, { begin, end }: Markers): string[] {
  const texts = splitLines(block).map(({ text }) => text);
  const marker = texts.find((text) => text === begin || text === end);
  if (marker === undefined) return texts;
  throw new FurrowError("E_REFUSED", {
    what: `the block contains its own marker: ${marker}`,
    hint: "Set another `marker` in the task",
  });
}

/** Finds the lines of the block: from the first marker up to, but not including, the line after the last marker. */
function find(lines: readonly TextLine[], markers: Markers): { from: number; to: number } | undefined {
  const at = (marker: string): number[] => lines.flatMap(({ text }, index) => (text === marker ? [index] : []));
  const [begins, ends] = [at(markers.begin), at(markers.end)];
  const [from, to] = [begins[0], ends[0]];
  if (from === undefined && to === undefined) return undefined;
  if (begins.length === 1 && ends.length === 1 && from !== undefined && to !== undefined && from < to) {
    return { from, to: to + 1 };
  }
  const numbers = (found: number[]): string => found.map((index) => `line ${index + 1}`).join(", ") || "nowhere";
  throw new FurrowError("E_REFUSED", {
    what: "the block's markers do not each appear exactly once, in order",
    current: `"${markers.begin}": ${numbers(begins)}; "${markers.end}": ${numbers(ends)}`,
    expected: "each marker once, the first above the second",
    hint: "Correct the file by hand, or set another `marker` in the task",
  });
}
