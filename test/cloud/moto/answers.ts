import { XMLParser } from "fast-xml-parser";
import type { Exchange } from "./recorder.ts";

const parser = new XMLParser({ ignoreAttributes: true, parseTagValue: false });

/** Removes the parts of responses that differ between the fakes: ids, addresses, times, tokens. */
export function bare(text: string): string {
  return text
    .replaceAll(/\b(i|vol|sg|key|eipalloc|eipassoc|ami|r|subnet|vpc|igw|rtb)-[0-9a-z]+/g, "$1-*")
    .replaceAll(/(Elastic_Block_Store)_vol\w+/g, "$1_vol*")
    .replaceAll(/\b\d{1,3}(\.\d{1,3}){3}\b(?!\/)/g, "ADDRESS");
}

/** Formats a call as a line that is the same for both fakes. */
export function question({ action, params }: Exchange): string {
  const { ClientToken: _token, ...rest } = params;
  return bare(`${action} ${JSON.stringify(rest)}`);
}

/** Formats a response as sorted lines: `reservationSet.item.instancesSet.item.instanceState.name=running`. */
export function answerLines({ body }: Exchange): string[] {
  const [[, root] = []] = Object.entries(parser.parse(body) as Record<string, unknown>).filter(
    ([key]) => key !== "?xml",
  );
  return [...new Set(linesOf("", root).map(bare))].filter((line) => !line.startsWith("requestId=")).toSorted();
}

function linesOf(path: string, value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap((one) => linesOf(path, one));
  if (typeof value !== "object" || value === null) return value === "" ? [] : [`${path}=${String(value)}`];
  return Object.entries(value).flatMap(([key, part]) => linesOf(path === "" ? key : `${path}.${key}`, part));
}
