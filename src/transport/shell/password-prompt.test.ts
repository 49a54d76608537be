import { describe, expect, test } from "vitest";
import { secretOf } from "../../core/secrets/secret.ts";
import type { Become, Channel } from "../../core/host/transport.ts";
import type { ByteListener } from "../outlet.ts";
import { type ShellCommand, shellCommand } from "./command.ts";
import { openOn } from "./password-prompt.ts";

const { signal } = new AbortController();
const sudo: Become = { method: "sudo", user: "root", password: secretOf("hunter2", "become password") };
const sinks = { stdout: () => undefined, stderr: () => undefined };

/**
 * A channel whose other end is controlled by the test. `waiting` contains data that arrived before a listener was set.
 */
class FarEnd implements Channel {
  readonly written: string[] = [];
  readonly ended: Channel["ended"];
  onInput: (line: string) => void = () => undefined;
  end: () => void = () => undefined;
  destroy: () => void = () => undefined;
  #stdout: ByteListener | undefined;
  #stderr: ByteListener | undefined;
  #waiting: string;

  constructor(waiting = "") {
    this.#waiting = waiting;
    this.ended = new Promise(() => undefined);
  }

  async write(data: Uint8Array): Promise<void> {
    const text = Buffer.from(data).toString();
    this.written.push(text);
    this.onInput(text);
  }

  onStdout(listener: ByteListener): void {
    this.#stdout = listener;
    if (this.#waiting !== "") this.say(this.#waiting);
    this.#waiting = "";
  }

  onStderr(listener: ByteListener): void {
    this.#stderr = listener;
  }

  say(text: string): void {
    void this.#stdout?.(Buffer.from(text));
  }

  complain(text: string): void {
    void this.#stderr?.(Buffer.from(text));
  }
}

function open(far: FarEnd, command: ShellCommand, become?: Become): Promise<void> {
  return openOn(far, command, become, sinks, () => [Buffer.from("first frame\n")], signal);
}

describe("the input of a process that may become root's shell", () => {
  test("contains `go` and the first frame once each, and no password, even if the process answers early", async () => {
    const command = shellCommand(undefined, "abc", false);
    for (const waiting of ["", "banner\nstart-abc\n"]) {
      const far = new FarEnd(waiting);
      const opened = open(far, command);
      far.say("\nstart-abc\n");
      far.say("\nready-abc\n");
      await opened;
      expect(far.written).toEqual(["go-abc\n", "first frame\n"]);
    }
  });

  test("contains the password once, before `go`", async () => {
    const command = shellCommand(sudo, "abc", false);
    for (const waiting of ["", "\nstart-abc\n"]) {
      const far = new FarEnd(waiting);
      const opened = open(far, command, sudo);
      far.complain("ask-abc:");
      expect(far.written[0]).toBe("hunter2\n");
      far.say("\nstart-abc\n");
      far.complain("ask-abc:");
      far.say("\nready-abc\n");
      await opened;
      expect(far.written).toEqual(["hunter2\n", "go-abc\n", "first frame\n"]);
    }
  });

  test("contains the password on a terminal only if the process asks for it", async () => {
    const command = shellCommand(sudo, "abc", true);
    const asking = new FarEnd();
    const asked = open(asking, command, sudo);
    expect(asking.written).toEqual([]);
    asking.say("ask-abc:");
    expect(asking.written).toEqual(["hunter2\n"]);
    asking.say("\r\nstart-abc\r\n");
    asking.say("\r\nready-abc\r\n");
    await asked;
    expect(asking.written).toEqual(["hunter2\n", "go-abc\n", "first frame\n"]);

    const silent = new FarEnd();
    const unasked = open(silent, command, sudo);
    silent.say("\nstart-abc\n");
    silent.say("\nready-abc\n");
    await unasked;
    expect(silent.written).toEqual(["go-abc\n", "first frame\n"]);
  });

  test("ends if the process asks again for the password", async () => {
    const command = shellCommand(sudo, "abc", false);
    const far = new FarEnd();
    let ended = 0;
    far.end = () => void (ended += 1);
    open(far, command, sudo).catch(() => undefined);
    far.complain("ask-abc:");
    far.complain("Sorry, try again.\nask-abc:");
    far.complain("ask-abc:");
    expect(far.written).toEqual(["hunter2\n"]);
    expect(ended).toBe(1);
  });

  test("follows a marker only if the marker fills a whole line, even if the line arrives in several chunks", async () => {
    const command = shellCommand(undefined, "abc", false);
    const far = new FarEnd();
    let out = "";
    const opened = openOn(
      far,
      command,
      undefined,
      { ...sinks, stdout: (data) => void (out += Buffer.from(data).toString()) },
      () => [],
      signal,
    );
    far.say("echo ready-abc; exec sh\nx ready-abc\nready-abcd\n");
    for (const piece of ["\nrea", "dy-a", "bc", "\n", "real out", "put\n"]) far.say(piece);
    await opened;
    expect(out).toBe("real output\n");
  });
});

test("puts no password, newline, backslash or ! into a command line", () => {
  for (const method of ["sudo", "su", "doas"] as const) {
    for (const pty of [false, true]) {
      const { line } = shellCommand({ ...sudo, method }, "abc", pty);
      expect(line).not.toMatch(/hunter2|\n|\\|!/);
      // Exactly two single-quoted words, so that every login shell sees the same two.
      expect(line.split("'")).toHaveLength(5);
    }
  }
});
