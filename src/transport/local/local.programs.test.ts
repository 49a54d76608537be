import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { addressOf, outputOf } from "../../../test/transport/sshd.ts";
import { openShell } from "../become.ts";
import { localTransport } from "./local.ts";

const { signal } = new AbortController();
const address = addressOf(0, { name: "here", transport: "local" });

describe("local transport", () => {
  test("runs a command and keeps stdout, stderr and exit code apart", async () => {
    const link = await localTransport.connect(address, signal);
    expect(await outputOf(await link.exec("echo out; echo err >&2; exit 3"))).toEqual({
      stdout: "out\n",
      stderr: "err\n",
      code: 3,
      signal: undefined,
    });
    expect((await outputOf(await link.exec("kill -9 $$"))).signal).toBe("SIGKILL");
    expect(link.stats()).toMatchObject({ bytesReceived: 8, channels: 2 });
    await link.close();
    expect(await link.closed).toBeUndefined();
    await expect(link.exec("true")).rejects.toMatchObject({ code: "E_UNREACHABLE" });
  });

  test("passes stdin on, closes it, and hides the controller's variables from the process", async () => {
    process.env["FURROW_TEST_KEY"] = "not for steps";
    const link = await localTransport.connect(address, signal);
    const channel = await link.exec("cat; env");
    const output = outputOf(channel);
    await channel.write(Buffer.from("hello\n"));
    channel.end();
    const { stdout } = await output;
    expect(stdout).toMatch(/^hello\n/);
    expect(stdout).not.toContain("FURROW_TEST_KEY");
    delete process.env["FURROW_TEST_KEY"];
    await link.close();
  });

  test("pauses the process while the listener is busy", async () => {
    const link = await localTransport.connect(address, signal);
    const channel = await link.exec("head -c 20000000 /dev/zero | tr '\\0' x; echo done >&2");
    const hash = createHash("sha256");
    let bytes = 0;
    let finished = false;
    let finishedWhileBusy: boolean | undefined;
    channel.onStderr(() => void (finished = true));
    channel.onStdout(async (data) => {
      if (bytes === 0) {
        await new Promise((resolve) => setTimeout(resolve, 200));
        finishedWhileBusy = finished;
      }
      bytes += data.length;
      hash.update(data);
    });
    expect((await channel.ended).code).toBe(0);
    expect(finishedWhileBusy).toBe(false);
    expect(bytes).toBe(20_000_000);
    expect(hash.digest("hex")).toBe(createHash("sha256").update("x".repeat(20_000_000)).digest("hex"));
    await link.close();
  });

  test("ends the process and its children on destroy", async () => {
    const link = await localTransport.connect(address, signal);
    const channel = await link.exec("sleep 1000 & echo $!; wait");
    const pid = await new Promise<number>((resolve) => channel.onStdout((data) => resolve(Number(Buffer.from(data)))));
    channel.destroy();
    await channel.ended;
    await expect.poll(() => isAlive(pid)).toBe(false);
    await link.close();
  });

  test("rejects a write if the process reads no input", async () => {
    const link = await localTransport.connect(address, signal);
    const channel = await link.exec("exec 0<&-; sleep 0.2");
    await expect(channel.write(Buffer.alloc(1 << 20))).rejects.toMatchObject({ code: "E_PROTOCOL" });
    await channel.ended;
  });

  test("opens a shell that prints nothing at the start", async () => {
    const link = await localTransport.connect(address, signal);
    const shell = await openShell(link, { host: "here", signal });
    const output = outputOf(shell);
    await shell.write(Buffer.from("echo one\necho two >&2\n"));
    await shell.write(Buffer.from("exit 5\n"));
    expect(await output).toMatchObject({ stdout: "one\n", stderr: "two\n", code: 5 });
    await link.close();
  });
});

/** Returns false even for a zombie, because a process that has exited may stay in the process table for a while. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
