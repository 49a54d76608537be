import { encodeText } from "../../../core/host/bytes.ts";
import { contentHash } from "../../../core/host/content-hash.ts";
import { FurrowError } from "../../../core/errors.ts";
import { isSecret, printMarkers, reveal } from "../../../core/secrets/secret.ts";
import { type RunStep, shellQuote, type Step, type UploadStep, type WriteFileStep } from "../../../core/host/step.ts";
import { fileFunctions } from "./prelude.ts";

/** Content larger than this many bytes is staged through its own channel instead of traveling inside the frame. */
export const inlineLimit = 65_536;

/** Default number of seconds that a step may take. */
export const stepTimeoutSeconds = 1800;

/**
 * Compiles a step into shell code that defines `_fc` and runs it. Returns undefined for steps that do not run in a
 * frame.
 */
export function compileStep(step: Step, timeoutSeconds: number | undefined): string | undefined {
  const body = bodyOf(step, timeoutSeconds);
  if (body === undefined) return undefined;
  const uncut = step.step === "run" && step.uncut === true ? "_fuc=1; " : "";
  return `_fc() {\n${body}\n}; ${uncut}_fx '${okExits(step).join("|")}'`;
}

/** The exit codes that mean success for a step. */
export function okExits(step: Step | undefined): readonly number[] {
  return (step?.step === "run" ? step.okExit : undefined) ?? [0];
}

function bodyOf(step: Step, timeoutSeconds: number | undefined): string | undefined {
  switch (step.step) {
    case "run":
      return runBody(step, timeoutSeconds);
    case "writeFile":
      return writeBody(step);
    case "upload":
      return stagedBody(step, step.sha256);
    case "makeDirectory":
      return fileBody(step.user, "_fm", [step.path, step.parents ? "-p" : "", ...attributes(step)]);
    case "setAttributes":
      return fileBody(step.user, "_fk", [
        step.directory === true ? `${step.path}/.` : step.path,
        ...attributes(step),
        ...(step.stamp === undefined ? [] : [step.stamp]),
      ]);
    case "link":
      return fileBody(step.user, "_fln", [step.path, step.target]);
    case "remove":
      return fileBody(step.user, "_fr", [
        step.path,
        step.recursive ? "1" : "",
        ...(step.real === undefined ? [] : [step.real, step.root ?? ""]),
      ]);
    case "fetch":
    case "reboot":
    case "confirm":
    case "call":
      return undefined;
  }
}

function runBody(step: RunStep, timeoutSeconds: number | undefined): string {
  refuseSecretWords(step.argv);
  const limit = step.timeoutSeconds ?? timeoutSeconds ?? stepTimeoutSeconds;
  const words = step.argv.map(shellQuote).join(" ");
  const timed = step.uncut === true ? words : `timeout -k 10 ${limit} ${words}`;
  const env = Object.entries(step.env ?? {})
    .map(([name, value]) => `${name}=${shellQuote(reveal(value))}; export ${name}; `)
    .join("");
  const cwd = step.cwd === undefined ? "" : `cd ${shellQuote(step.cwd)} || exit 1; `;
  const start = step.user === undefined ? "exec " : `_fu ${shellQuote(step.user)} `;
  const command = `${env}${cwd}${start}${timed}`;
  return step.stdin === undefined ? command : `${printContent(step.stdin)} | ( ${command} )`;
}

function refuseSecretWords(argv: readonly string[]): void {
  const secret = argv.find(isSecret);
  if (secret === undefined) return;
  throw new FurrowError("E_SECRET", {
    what: `a step would put a secret into an argument, where every user on the host can read it: ${printMarkers(secret)}`,
    hint: "Pass it through stdin or env",
  });
}

/** A command that prints content with a builtin: plain text verbatim, anything else through base64. */
export function printContent(text: string): string {
  const bytes = encodeText(reveal(text));
  const plain = !bytes.some((byte) => byte === 0 || byte >= 0x80 || byte === 0x0d);
  if (plain) return `printf %s ${shellQuote(Buffer.from(bytes).toString("latin1"))}`;
  return `printf %s ${Buffer.from(bytes).toString("base64")} | base64 -d`;
}

function writeBody(step: WriteFileStep): string {
  if (isLarge(step)) return stagedBody(step, contentHash(step.text));
  if (step.user === undefined) return `_fw0() { ${printContent(step.text)}; }\n${writeCall(step, 0)}`;
  const words = ["cat", step.path, ...attributes(step), ...(step.validate ?? [])];
  return `${printContent(step.text)} | ${fileBody(step.user, "_fw", words, settings(step))}`;
}

/** The call that writes a file with the session's privilege. The function `_fwNUMBER` prints the file's content. */
export function writeCall(step: WriteFileStep, number: number): string {
  const words = [`_fw${number}`, step.path, ...attributes(step), ...(step.validate ?? [])];
  return fileBody(undefined, "_fw", words, settings(step));
}

/**
 * Shell code with the settings of a write: what `_fwc` must find at the path before the rename (not set if the step may
 * replace any file), and whether to discard the validator's output, which may contain part of the secret content.
 */
function settings({ replaces, validate, text }: WriteFileStep): string {
  const expected = replaces === undefined ? "" : `_wo=${replaces === null ? "-" : contentHash(replaces)}; `;
  return validate !== undefined && isSecret(text) ? `${expected}_wv=1; ` : expected;
}

/** True if a file's content is staged before its frame. */
export function isLarge(step: WriteFileStep): boolean {
  return step.text.length > inlineLimit || encodeText(reveal(step.text)).length > inlineLimit;
}

function stagedBody(step: WriteFileStep | UploadStep, sha256: string): string {
  const stamp = (step.step === "upload" && step.stamp) || "";
  const words = [step.path, sha256, stamp, ...attributes(step), ...(step.validate ?? [])];
  return fileBody(step.user, "_fp", words, step.step === "upload" ? "" : settings(step));
}

function attributes(step: { mode?: string; owner?: string; group?: string }): string[] {
  return [step.mode ?? "", step.owner ?? "", step.group ?? ""];
}

/** A call to one of the file functions, in a separate shell if it runs as another user. */
function fileBody(user: string | undefined, name: string, words: readonly string[], before = ""): string {
  refuseSecretWords(words);
  const call = `${before}${name} ${words.map(quoteAlways).join(" ")}`;
  if (user === undefined) return call;
  return `_fu ${shellQuote(user)} sh -c ${shellQuote(`umask 022\n${fileFunctions}\n${call}`)}`;
}

function quoteAlways(word: string): string {
  return word === "" ? "''" : shellQuote(word);
}
