import type { Json } from "./fact.ts";

/** What every step may say about how it runs on the host. */
export interface StepSetting {
  /** Runs as this user instead of the session's. */
  readonly user?: string;
  /** Seconds until the step is stopped and fails; default: the task's timeout. */
  readonly timeoutSeconds?: number;
}

/** Runs a program without a shell; `argv` must hold no secret. */
export interface RunStep extends StepSetting {
  readonly step: "run";
  readonly argv: readonly string[];
  /** What it does, for people, where the argv is a script: `restart nginx.service`. */
  readonly label?: string;
  /** Text for the program's stdin; may hold secrets. Without it stdin is empty. */
  readonly stdin?: string;
  /** Added to the environment; values may hold secrets. */
  readonly env?: Readonly<Record<string, string>>;
  /** Working directory; default `/`. */
  readonly cwd?: string;
  /** Exit codes that mean success; default 0 alone. */
  readonly okExit?: readonly number[];
  /** A package transaction: no signal, timeout or stop order may cut it. */
  readonly uncut?: boolean;
  /** Work that the steps of neighbouring tasks may do in one go. */
  readonly joint?: JointWork;
}

/**
 * Where steps with the same key follow each other, the first is handed the words of the others after its own argv. It
 * does their work with its own where that is possible, and its own alone where it is not; each of the others then finds
 * its work done, or does it.
 */
export interface JointWork {
  readonly key: string;
  readonly words: readonly string[];
  /** Kinds of facts, beside those of the tasks themselves, that a task between two of them may look at if it changes nothing. */
  readonly across?: readonly string[];
}

/** Writes a file as one atomic replacement, synced before the rename. */
export interface WriteFileStep extends StepSetting {
  readonly step: "writeFile";
  readonly path: string;
  /** The content, as text made by decodeBytes; may hold secrets. */
  readonly text: string;
  /** Octal mode, `"0644"`; default: that of the file replaced, else 0644. */
  readonly mode?: string;
  readonly owner?: string;
  readonly group?: string;
  /** A program and its words that must accept the new file before it takes its place; `%s` stands for its temporary name. */
  readonly validate?: readonly string[];
  /**
   * The content that `text` was made from, or null where there was no file. The step fails where it finds something else
   * just before the rename: what somebody else wrote in the meantime is kept.
   */
  readonly replaces?: string | null;
}

/** Sends a file of the controller; staged beside its target and renamed when its SHA-256 is right. */
export interface UploadStep extends StepSetting {
  readonly step: "upload";
  /** Path on the controller. */
  readonly from: string;
  readonly path: string;
  readonly sha256: string;
  /** Its size in bytes, where the task knows it: small ones of one folder then travel together. */
  readonly bytes?: number;
  /** Where on the host the file is stamped with its SHA-256 once it is in its place; only one of {@link stampedBytes} or more is. */
  readonly stamp?: string;
  readonly mode?: string;
  readonly owner?: string;
  readonly group?: string;
  /** As of a file that is written. */
  readonly validate?: readonly string[];
}

/** Brings a file of the host to the controller, into a folder that is made where it is missing. */
export interface FetchStep extends StepSetting {
  readonly step: "fetch";
  readonly path: string;
  /** Program and arguments that the content passes through on the host: it reads stdin and writes stdout. */
  readonly through?: readonly string[];
  /** Path on the controller. */
  readonly to: string;
  /** Octal mode of the file on the controller. */
  readonly mode: string;
  /** Bytes that may come at most; default 4 GiB. */
  readonly maxBytes?: number;
}

/** Makes a directory; its parents too, where asked, with mode 0755. */
export interface MakeDirectoryStep extends StepSetting {
  readonly step: "makeDirectory";
  readonly path: string;
  readonly parents: boolean;
  readonly mode?: string;
  readonly owner?: string;
  readonly group?: string;
}

/** Makes or replaces a symbolic link, atomically. */
export interface LinkStep extends StepSetting {
  readonly step: "link";
  readonly path: string;
  readonly target: string;
}

/** Sets mode, owner or group of what is there. */
export interface SetAttributesStep extends StepSetting {
  readonly step: "setAttributes";
  readonly path: string;
  /** The directory that a link at the path leads to; without it, owner and group are those of the link. */
  readonly directory?: boolean;
  /** Where the file's SHA-256 is stamped: what the change of its attributes ends is renewed, if it still is that file. */
  readonly stamp?: string;
  readonly mode?: string;
  readonly owner?: string;
  readonly group?: string;
}

/** Removes a file, a link or an empty directory; a whole tree where `recursive`. Never crosses into another file system. */
export interface RemoveStep extends StepSetting {
  readonly step: "remove";
  readonly path: string;
  readonly recursive: boolean;
}

/** Reboots the host and waits until it answers with another boot id. */
export interface RebootStep extends StepSetting {
  readonly step: "reboot";
  /** Seconds until the host must be back. */
  readonly deadlineSeconds: number;
}

/** An act of the controller, through a driver. */
export interface CallStep extends StepSetting {
  readonly step: "call";
  readonly driver: string;
  readonly request: Json;
  /** What it does, for people: `create instance harvester-1`. */
  readonly label: string;
}

/** One act, as data: the closed set. */
export type Step =
  | RunStep
  | WriteFileStep
  | UploadStep
  | FetchStep
  | MakeDirectoryStep
  | LinkStep
  | SetAttributesStep
  | RemoveStep
  | RebootStep
  | CallStep;

/** Bytes of each stream of a step that are kept, its last ones. */
export const keptOutputBytes = 262_144;

/** Steps that travel in a frame; the others are acts of the controller between frames. */
export type FrameStep = Exclude<Step, CallStep | FetchStep | RebootStep>;

/** True for a step that travels in a frame; others are acts of the controller. */
export function inFrame(step: Step): step is FrameStep {
  return step.step !== "call" && step.step !== "fetch" && step.step !== "reboot";
}

/** What a step left: of `run` its exit code and output, of others exit code 0 and nothing. */
export interface StepResult {
  readonly exitCode: number;
  /** The last 256 KiB; of a stream that is `cut`, with a note before it. */
  readonly stdout: string;
  /** As `stdout`. */
  readonly stderr: string;
  /** The streams that were longer. Their text is for people; a task's `outputs` gets an error where it reads one. */
  readonly cut?: readonly ("stdout" | "stderr")[] | undefined;
  /** What the controller call returned. */
  readonly value?: unknown;
}

/** The host paths a step of its own kind touches; undefined where only its task can know. */
export function touchedPaths(step: Step): readonly string[] | undefined {
  switch (step.step) {
    case "writeFile":
    case "upload":
    case "makeDirectory":
    case "link":
    case "setAttributes":
    case "remove":
      return [step.path];
    case "fetch":
      return [];
    case "run":
    case "reboot":
    case "call":
      return undefined;
  }
}

/** Nothing that a shell looks into; `~` at the beginning of a word would be somebody's home. */
const plainWord = /^[\w%+,./:=@^-]+$/;

/** Quotes one word for a POSIX shell. */
export function shellQuote(word: string): string {
  return plainWord.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** A step as a person reads it, in one line and without content. */
export function describeStep(step: Step): string {
  switch (step.step) {
    case "run":
      return step.label ?? step.argv.map(shellQuote).join(" ");
    case "writeFile":
      return `write ${step.path}`;
    case "upload":
      return `upload ${step.from} to ${step.path}`;
    case "fetch":
      return `fetch ${step.path} to ${step.to}`;
    case "makeDirectory":
      return `make directory ${step.path}`;
    case "link":
      return `link ${step.path} to ${step.target}`;
    case "setAttributes":
      return `set ${[step.mode, step.owner, step.group].filter(Boolean).join(" ")} on ${step.path}`;
    case "remove":
      return `remove ${step.path}${step.recursive ? " and what is below" : ""}`;
    case "reboot":
      return "reboot";
    case "call":
      return step.label;
  }
}

/** `run` as a tag: blanks separate words, each value put in is exactly one word, a list of values that many. */
export function run(
  strings: TemplateStringsArray,
  ...values: readonly (string | number | readonly string[])[]
): RunStep {
  const argv: string[] = [];
  let open = false;
  const append = (text: string): void => {
    if (open) argv[argv.length - 1] += text;
    else argv.push(text);
    open = true;
  };
  strings.forEach((literal, index) => {
    for (const part of literal.split(/(\s+)/)) {
      if (/^\s+$/.test(part)) open = false;
      else if (part !== "") append(part);
    }
    const value = values[index];
    if (value === undefined) return;
    if (typeof value === "string" || typeof value === "number") append(String(value));
    else for (const word of value) argv.push(word);
  });
  return { step: "run", argv };
}
