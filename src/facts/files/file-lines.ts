import { encodeText } from "../../core/host/bytes.ts";
import type { Question } from "../../core/facts/fact.ts";
import { printPart, type PrintedLines } from "../../core/facts/kind.ts";
import { reveal } from "../../core/secrets/secret.ts";
import { type Absent, absent, knownAfterApply } from "../../core/facts/symbols.ts";
import type { AnyFile } from "./file-state.ts";

/**
 * The lines that represent a file's value for a question. A prediction may contain more than the question asks for;
 * only the parts that were asked for are printed.
 */
export function printFile(value: Absent | AnyFile, question: Question): PrintedLines {
  if (value === absent) return { type: "absent" };
  const asks = (facet: string): boolean => question.facets.includes(facet);
  const secret = question.secret === true;
  const sealed = secret && ["text", "sha256", "stamped", "hidden"].some(asks);
  const part = (key: keyof AnyFile, print?: (text: string) => string): PrintedLines =>
    known(value, key) === undefined ? {} : { [key]: printPart(value, key, print as never) };
  return {
    ...(asks("changed") && part("changed")),
    ...part("group"),
    ...part("inode"),
    ...part("mode", (mode) => mode.replace(/^0+(?=.)/, "")),
    ...part("owner"),
    ...(sealed && part("seal", (seal) => seal.slice("sealed:".length))),
    ...(!secret && (asks("sha256") || asks("stamped")) && part("sha256")),
    ...(!secret && asks("size") && part("size")),
    ...part("target", toBase64),
    ...(!secret && asks("text") && part("text", toBase64)),
    ...(secret && asks("hidden") && { hidden: printPart(value, "text", (text) => toBase64(text ?? "")) }),
    ...missing(value, { size: !secret && asks("size"), changed: asks("changed") }),
    type: printPart(value, "type"),
  };
}

function known(value: AnyFile, key: keyof AnyFile): unknown {
  return Object.getOwnPropertyDescriptor(value, key)?.value;
}

/** The lines for parts that the host always prints for an existing file, but that a prediction may not contain. */
function missing(value: AnyFile, asked: Readonly<Partial<Record<keyof AnyFile, boolean>>>): PrintedLines {
  const names = Object.keys(asked) as (keyof AnyFile)[];
  const open = names.filter((key) => asked[key] === true && known(value, key) === undefined);
  return Object.fromEntries(open.map((key) => [key, knownAfterApply]));
}

/** Text as the base64 of its bytes, with secrets revealed. Guards leave out these lines for secret files. */
function toBase64(text: string): string {
  return Buffer.from(encodeText(reveal(text))).toString("base64");
}
