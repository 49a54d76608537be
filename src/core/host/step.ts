import type { Json } from "../facts/fact.ts";

/** Options of every step that runs on the host. */
export interface StepSetting {
  /** Runs as this user instead of the session's user. */
  readonly user?: string;
  /** Seconds until the step is stopped and fails; default: the task's timeout. */
  readonly timeoutSeconds?: number;
}

/** Runs a program without a shell; `argv` must not contain secrets. */
export interface RunStep extends StepSetting {
  readonly step: "run";
  readonly argv: readonly string[];
  /** A human-readable description, if argv is a script: `restart nginx.service`. */
  readonly label?: string;
  /** Text for the program's stdin; may contain secrets. Default: empty. */
  readonly stdin?: string;
  /** Variables to add to the environment; values may contain secrets. */
  readonly env?: Readonly<Record<string, string>>;
  /** Working directory; default `/`. */
  readonly cwd?: string;
  /**
   * A directory in which the program creates files: check mode refuses the task if the file system there is read-only.
   */
  readonly writesIn?: string;
  /** Exit codes that mean success; default: only 0. */
  readonly okExit?: readonly number[];
  /** True for a package transaction, which must not be interrupted by a signal, a timeout or a request to stop. */
  readonly uncut?: boolean;
  /** Work that can be done together with the work of adjacent tasks, e.g. one installation of several packages. */
  readonly joint?: JointWork;
}

/**
 * Consecutive steps with the same key can share their work. The first step receives the words of the other steps after
 * its own argv. If possible, the first step does the work of all these steps; otherwise it does only its own work. Each
 * later step then finds its work done, or does the work itself.
 */
export interface JointWork {
  readonly key: string;
  readonly words: readonly string[];
  /**
   * Additional kinds of fact that a task between two steps with the same key may read. If that task changes nothing,
   * and reads only these kinds and those that the steps' own tasks read, the two steps can still share their work.
   */
  readonly across?: readonly string[];
}

/** Writes a file and renames it into place atomically, after a sync. */
export interface WriteFileStep extends StepSetting {
  readonly step: "writeFile";
  readonly path: string;
  /** The content, as text that decodeBytes returned; may contain secrets. */
  readonly text: string;
  /** Octal mode, `"0644"`; default: the mode of the replaced file, otherwise 0644. */
  readonly mode?: string;
  readonly owner?: string;
  readonly group?: string;
  /**
   * A program with its arguments that must accept the new file before it is renamed into place; `%s` is the file's
   * temporary name.
   */
  readonly validate?: readonly string[];
  /**
   * The content that `text` was made from, or null if there was no file. The step fails if the file's content is
   * different just before the rename, so that a change by someone else is not overwritten.
   */
  readonly replaces?: string | null;
}

/**
 * Sends a file from the controller. The file is staged next to its target, and renamed once its SHA-256 is verified.
 */
export interface UploadStep extends StepSetting {
  readonly step: "upload";
  /** Path on the controller. */
  readonly from: string;
  readonly path: string;
  readonly sha256: string;
  /** Size of the file in bytes, if the task knows it: small files in one folder are then sent together. */
  readonly bytes?: number;
  /**
   * The host path of the file's stamp, which receives the file's SHA-256 once the file is in place. Only for files of
   * {@link stampedBytes} or more.
   */
  readonly stamp?: string;
  readonly mode?: string;
  readonly owner?: string;
  readonly group?: string;
  /** As for {@link WriteFileStep}. */
  readonly validate?: readonly string[];
}

/** Copies a file from the host to the controller, into a folder that is created if it is missing. */
export interface FetchStep extends StepSetting {
  readonly step: "fetch";
  readonly path: string;
  /** A program with its arguments that filters the content on the host: it reads stdin and writes stdout. */
  readonly through?: readonly string[];
  /**
   * True if the content is secret: nothing that the filter prints to stderr is kept, because it may quote the content.
   */
  readonly secret?: boolean;
  /** Path on the controller. */
  readonly to: string;
  /** Octal mode of the file on the controller. */
  readonly mode: string;
  /** The maximum number of bytes to accept; default 4 GiB. */
  readonly maxBytes?: number;
  /** The size of the copy in bytes, if the task knows it; used to report the progress. */
  readonly bytes?: number;
}

/** Creates a directory. With `parents`, also creates missing parent directories, with mode 0755. */
export interface MakeDirectoryStep extends StepSetting {
  readonly step: "makeDirectory";
  readonly path: string;
  readonly parents: boolean;
  readonly mode?: string;
  readonly owner?: string;
  readonly group?: string;
}

/** Creates or replaces a symbolic link, atomically. */
export interface LinkStep extends StepSetting {
  readonly step: "link";
  readonly path: string;
  readonly target: string;
}

/** Sets mode, owner or group of an existing file or directory. */
export interface SetAttributesStep extends StepSetting {
  readonly step: "setAttributes";
  readonly path: string;
  /**
   * If true and the path is a link, changes the directory that the link points to; otherwise changes the owner and
   * group of the link itself.
   */
  readonly directory?: boolean;
  /**
   * The path of the file's stamp. Changing attributes makes the stamp invalid; the step renews it if the file is still
   * the one that was stamped.
   */
  readonly stamp?: string;
  readonly mode?: string;
  readonly owner?: string;
  readonly group?: string;
}

/**
 * Removes a file, a link or an empty directory; with `recursive`, a whole tree. Never crosses into another file system.
 */
export interface RemoveStep extends StepSetting {
  readonly step: "remove";
  readonly path: string;
  readonly recursive: boolean;
  /**
   * The path with all links in its parent directories resolved, as the task found it. If the path leads elsewhere when
   * the step runs, the step fails and removes nothing.
   */
  readonly real?: string;
  /** With `real`: a directory above the path. If a link is between the two, the step fails and removes nothing. */
  readonly root?: string;
}

/** Reboots the host and waits until it responds with a new boot id. */
export interface RebootStep extends StepSetting {
  readonly step: "reboot";
  /** Seconds within which the host must be back. */
  readonly deadlineSeconds: number;
}

/**
 * Begins a change whose undo an earlier step has armed on the host (`armUndo`), and confirms it over a new connection.
 * Unless the change is confirmed, the host reverts it when the time is up, or at a reboot.
 */
export interface ConfirmStep extends StepSetting {
  readonly step: "confirm";
  /** The name of the undo. */
  readonly undo: string;
  /** Seconds after which the host reverts the change. */
  readonly withinSeconds: number;
}

/** An action that the controller performs through a driver. */
export interface CallStep extends StepSetting {
  readonly step: "call";
  readonly driver: string;
  readonly request: Json;
  /** A human-readable description: `create instance harvester-1`. */
  readonly label: string;
  /**
   * Consecutive steps with the same key rarely depend on each other: the controller performs them at the same time, and
   * retries a failed step once, after the steps before it are done.
   */
  readonly alongside?: string;
}

/** One action as data: the closed set of steps. */
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
  | ConfirmStep
  | CallStep;

/** How many bytes at the end of each of a step's output streams are kept. */
export const keptOutputBytes = 262_144;

/** Steps that run in a frame. The controller performs the others between frames. */
export type FrameStep = Exclude<Step, CallStep | ConfirmStep | FetchStep | RebootStep>;

/** True for a step that runs in a frame; the controller performs the others. */
export function inFrame(step: Step): step is FrameStep {
  return step.step !== "call" && step.step !== "confirm" && step.step !== "fetch" && step.step !== "reboot";
}

/**
 * The result of a step: for `run`, and for a call that has run a command, the exit code and output; for other steps,
 * exit code 0 and no output.
 */
export interface StepResult {
  readonly exitCode: number;
  /** The last 256 KiB of the stream, preceded by a note if the stream is in `cut`. */
  readonly stdout: string;
  /** Like `stdout`, for stderr. */
  readonly stderr: string;
  /**
   * The streams that were longer than 256 KiB. Their text is only for human readers: reading one in a task's `outputs`
   * throws an error.
   */
  readonly cut?: readonly ("stdout" | "stderr")[] | undefined;
  /** The value that the controller call returned. */
  readonly value?: unknown;
}

/** The host paths that a step touches; undefined if only the step's task knows them. */
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
    case "confirm":
    case "call":
      return undefined;
  }
}

/**
 * Matches words without characters that a shell interprets. `~` is excluded as well, because it means a home directory
 * at the start of a word.
 */
const plainWord = /^[\w%+,./:=@^-]+$/;

/** Quotes one word for a POSIX shell. */
export function shellQuote(word: string): string {
  return plainWord.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** Returns a human-readable description of a step, on one line and without file content. */
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
      return `remove ${step.path}${step.recursive ? " and its contents" : ""}`;
    case "reboot":
      return "reboot";
    case "confirm":
      return `change, and confirm over a new connection within ${step.withinSeconds} s`;
    case "call":
      return step.label;
  }
}

/**
 * A template tag that creates a `run` step. Whitespace separates words; an inserted value is always one word, and an
 * inserted list becomes one word per item.
 */
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
