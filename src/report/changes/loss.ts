import { isRecord } from "../../core/facts/symbols.ts";
import { safeLine } from "../text/value.ts";
import { bytes } from "../text/words.ts";

/**
 * Describes the file or directory removed at `path`: `directory, 1,204 files, 3.1 GB`; empty if only its name is known.
 * If the path leads through a link, adds the path without links.
 */
export function lossText(gone: unknown, path: string): string {
  if (!isRecord(gone) || typeof gone["type"] !== "string") return "";
  const { type, real, files, directories, bytes: size, more } = gone;
  const than = more === undefined ? "" : "more than ";
  return [
    type.replace("-", " "),
    typeof files === "number" && `${than}${many(files, "file")}`,
    typeof directories === "number" &&
      directories > 0 &&
      `${than}${many(directories, "directory", "directories")} below`,
    // The size of a link is only the length of its target's path.
    typeof size === "number" && type !== "link" && (size > 0 || type === "file") && bytes(size),
    typeof real === "string" && real !== path && `really at ${safeLine(real)}`,
  ]
    .filter(Boolean)
    .join(", ");
}

function many(number: number, noun: string, nouns = `${noun}s`): string {
  return `${number.toLocaleString("en-US")} ${number === 1 ? noun : nouns}`;
}
