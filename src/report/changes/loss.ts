import { isRecord } from "../../core/facts/symbols.ts";
import { bytes } from "../text/words.ts";

/** Describes a removed file or directory: `directory, 1,204 files, 3.1 GB`; empty if only its name is known. */
export function lossText(gone: unknown): string {
  if (!isRecord(gone) || typeof gone["type"] !== "string") return "";
  const { type, files, directories, bytes: size, more } = gone;
  const than = more === undefined ? "" : "more than ";
  return [
    type.replace("-", " "),
    typeof files === "number" && `${than}${many(files, "file")}`,
    typeof directories === "number" &&
      directories > 0 &&
      `${than}${many(directories, "directory", "directories")} below`,
    typeof size === "number" && (size > 0 || type === "file") && bytes(size),
  ]
    .filter(Boolean)
    .join(", ");
}

function many(number: number, noun: string, nouns = `${noun}s`): string {
  return `${number.toLocaleString("en-US")} ${number === 1 ? noun : nouns}`;
}
