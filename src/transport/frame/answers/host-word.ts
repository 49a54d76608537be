import { brokenProtocol } from "../protocol-error.ts";

/**
 * State of a frame after a lost connection: it has begun, it will never begin, or another run has taken the host in the
 * meantime.
 */
export type AskedState = "begun" | "never" | "taken";

/** The reports of the shell on the host about a frame and about itself. */
export type HostWord =
  /** The boot id and the shell's process id. `fresh` is true if the host had no files of this session. */
  | { readonly record: "boot"; readonly boot: string; readonly fresh: boolean; readonly pid: number | undefined }
  /**
   * The answer to "how far did the frame get?", with the boot id and the seconds since that boot. If another run has
   * taken the host, `by` is its id, its holder and its start time; empty if unknown.
   */
  | {
      readonly record: "asked";
      readonly state: AskedState;
      readonly boot: string;
      readonly upSeconds: number;
      readonly by: string;
    }
  /** The runner did nothing, because the controller had given up on the frame. */
  | { readonly record: "given-up" }
  /** The host cannot write a journal, or cannot encrypt the secrets that would go into it. Nothing was done. */
  | { readonly record: "no-journal"; readonly why: "cannot write" | "cannot hide" }
  /**
   * The runner is gone, so no more records follow. `full` is the host's message if the runner could not write its
   * journal.
   */
  | { readonly record: "gone"; readonly full: string | undefined }
  /** Another run holds the host, or has left a process that is still running. Nothing was done. */
  | { readonly record: "held"; readonly attached: boolean; readonly run: string; readonly words: string }
  /** How a run that was cut off ended (`began`, `ok`, `stopped`, or `failed:` and why), and its last task. */
  | { readonly record: "left"; readonly run: string; readonly state: string; readonly task: string };

/**
 * Parses the words of a record into a {@link HostWord}. Undefined for an unknown type. Throws FurrowError E_PROTOCOL.
 */
export function hostWord(type: string | undefined, words: readonly string[]): HostWord | undefined {
  const [first = "", second = "", third = ""] = words;
  switch (type) {
    case "H":
      return { record: "boot", boot: first, fresh: second === "1", pid: third === "" ? undefined : wholeNumber(third) };
    case "Q":
      return {
        record: "asked",
        state: askedState(first),
        boot: second,
        upSeconds: wholeNumber(third),
        by: words.slice(3).join(" "),
      };
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

/** Parses a whole number of at most 15 digits from a record. Throws FurrowError E_PROTOCOL. */
export function wholeNumber(word: string | undefined): number {
  if (word !== undefined && /^\d{1,15}$/.test(word)) return Number(word);
  throw brokenProtocol("the host sent a record without a required number", word ?? "");
}

function askedState(word: string): AskedState {
  return word === "begun" || word === "taken" ? word : "never";
}
