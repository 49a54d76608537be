import { brokenProtocol } from "../protocol-error.ts";

/** What became of a frame: it had begun, it never will, or another run has had the host since. */
export type AskedState = "begun" | "never" | "taken";

/** What the shell on the host says of a frame and of itself. */
export type HostWord =
  /** The boot it speaks from; `fresh` where nothing of this session's was found there; the process id of its shell. */
  | { readonly record: "boot"; readonly boot: string; readonly fresh: boolean; readonly pid: number | undefined }
  /** The answer to a question after a frame; `boot` and seconds since that boot. */
  | { readonly record: "asked"; readonly state: AskedState; readonly boot: string; readonly upSeconds: number }
  /** The runner found that the controller had given the frame up, and did nothing. */
  | { readonly record: "given-up" }
  /** No journal can be written, or not of what would stand in it: the host cannot encipher. Nothing was done. */
  | { readonly record: "no-journal"; readonly why: "cannot write" | "cannot hide" }
  /** The runner is gone: nothing follows. `full`: it could not write its journal, and what the host says of that. */
  | { readonly record: "gone"; readonly full: string | undefined }
  /** Another run has the host, or what it left still runs; nothing was done. */
  | { readonly record: "held"; readonly attached: boolean; readonly run: string; readonly words: string }
  /** What a run that was cut off came to: `began`, `ok`, `failed` or `stopped`, and its task. */
  | { readonly record: "left"; readonly run: string; readonly state: string; readonly task: string };

/** Reads the words of such a record; undefined for a type that is none. Throws FurrowError E_PROTOCOL. */
export function hostWord(type: string | undefined, words: readonly string[]): HostWord | undefined {
  const [first = "", second = "", third = ""] = words;
  switch (type) {
    case "H":
      return { record: "boot", boot: first, fresh: second === "1", pid: third === "" ? undefined : wholeNumber(third) };
    case "Q":
      return { record: "asked", state: askedState(first), boot: second, upSeconds: wholeNumber(third) };
    case "F":
      return { record: "given-up" };
    case "N":
      return { record: "no-journal", why: first === "h" ? "cannot hide" : "cannot write" };
    case "E":
      return { record: "gone", full: first === "full" ? words.slice(1).join(" ") : undefined };
    case "K":
      return { record: "held", attached: first === "held", run: second, words: words.slice(2).join(" ") };
    case "P":
      return { record: "left", run: first, state: second, task: words.slice(2).join(" ") };
    default:
      return undefined;
  }
}

/** A whole number of a record, at most 15 digits. Throws FurrowError E_PROTOCOL. */
export function wholeNumber(word: string | undefined): number {
  if (word !== undefined && /^\d{1,15}$/.test(word)) return Number(word);
  throw brokenProtocol("the host sent a record without the number it needs", word ?? "");
}

function askedState(word: string): AskedState {
  return word === "begun" || word === "taken" ? word : "never";
}
