import { closeSync, openSync } from "node:fs";
import { ReadStream, WriteStream } from "node:tty";
import { FurrowError } from "../../core/errors.ts";

/** The controlling terminal of the process, even if stdin and stdout are redirected. */
interface Terminal {
  readonly input: ReadStream;
  readonly output: WriteStream;
  close(): void;
}

/** Throws the system's error if there is no terminal. */
function openTerminal(): Terminal {
  const descriptor = openSync("/dev/tty", "r+");
  const output = new WriteStream(openSync("/dev/tty", "w"));
  const input = new ReadStream(descriptor);
  return {
    input,
    output,
    close: () => {
      input.destroy();
      output.destroy();
      ignoreClosed(descriptor);
    },
  };
}

/**
 * Asks the user on the terminal, without echo, even if stdin and stdout are redirected. Throws FurrowError E_SECRET if
 * there is no terminal, and E_INTERRUPTED on Ctrl-C.
 */
export async function askHidden(question: string): Promise<string> {
  let terminal: Terminal;
  try {
    terminal = openTerminal();
  } catch (error) {
    throw new FurrowError("E_SECRET", {
      what: `cannot ask "${question}": no terminal`,
      current: "not started from a terminal",
      hint: "Give the secret with secret.env, secret.file or --become-password-file instead",
      cause: error,
    });
  }
  const { input, output } = terminal;
  try {
    // Turn echo off before printing the question, so that anything typed early is not shown either.
    input.setRawMode(true);
    output.write(`${question.replace(/[:?]?\s*$/, (end) => end.trim() || ":")} `);
    return await readLine(input, question);
  } finally {
    input.setRawMode(false);
    output.write("\r\n");
    terminal.close();
  }
}

/**
 * Asks the user on the terminal, with echo; `before` is printed above the question. Returns undefined if there is no
 * terminal. Throws FurrowError E_INTERRUPTED on Ctrl-C, and when the signal aborts.
 */
export async function askShown(before: string, question: string, signal: AbortSignal): Promise<string | undefined> {
  let terminal: Terminal;
  try {
    terminal = openTerminal();
  } catch {
    return undefined;
  }
  // Loaded on demand: few runs ask a question.
  const { createInterface } = await import("node:readline");
  const { input, output } = terminal;
  output.write(before);
  const lines = createInterface({ input, output, historySize: 0 });
  try {
    return await new Promise<string>((settle, fail) => {
      lines.once("SIGINT", () => fail(notAnswered(question, "Ctrl-C")));
      lines.once("close", () => fail(notAnswered(question, "end of input")));
      signal.addEventListener("abort", () => fail(notAnswered(question, "a signal")), { once: true });
      lines.question(`${question} `, settle);
    });
  } catch (error) {
    // Without this line break, the error would begin on the line of the question.
    output.write("\r\n");
    throw error;
  } finally {
    lines.close();
    terminal.close();
  }
}

function ignoreClosed(descriptor: number): void {
  try {
    closeSync(descriptor);
  } catch {
    // The stream has already closed the descriptor.
  }
}

async function readLine(input: ReadStream, question: string): Promise<string> {
  const typed: string[] = [];
  input.setEncoding("utf8");
  for await (const chunk of input) {
    for (const character of String(chunk)) {
      if (character === "\r" || character === "\n") return typed.join("");
      if (character === "\u0003") throw notAnswered(question, "Ctrl-C");
      if (character === "\u0004") throw notAnswered(question, "end of input");
      if (character === "\u007f" || character === "\b") typed.pop();
      else if (character === "\u0015") typed.length = 0;
      else if (character >= " ") typed.push(character);
    }
  }
  throw notAnswered(question, "end of input");
}

function notAnswered(question: string, current: string): FurrowError {
  return new FurrowError("E_INTERRUPTED", {
    what: `"${question}" was not answered`,
    current,
    hint: "Run the command again and type the answer; nothing has been done yet",
  });
}
