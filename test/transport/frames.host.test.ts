import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { isFurrowError } from "../../src/core/errors.ts";
import { ignoreAll, type FrameItem } from "../../src/core/host/frame.ts";
import { file, type FileValue } from "../../src/facts/files/file.ts";
import { openFrameSession } from "../../src/transport/frame/session/session.ts";
import { SshTransport } from "../../src/transport/ssh/ssh.ts";
import { covered } from "../covered.ts";
import { makeUser, ownName, removeAccounts, setSudoers } from "./become/accounts.ts";
import { type OddHost, oddHosts } from "./odd-hosts.ts";
import { addressOf, isRoot, makeKey, removeFolders, startSshd, temporaryFolder } from "./sshd.ts";

const { signal } = new AbortController();
const user = ownName("frames");
const password = "user's own";
const folder = temporaryFolder();
const key = makeKey(folder, "login_key");
const tally = join(folder, "faillock");
const rows: string[] = [];

if (!isRoot) process.stderr.write("skipped without root: frames in all shells, with all forms of sudo, on odd hosts\n");

/** A frame whose second item writes to the target and whose third item reads it back. */
function frameOf(target: string | undefined): FrameItem[] {
  // The step's stdout shows where the frame stores the output of steps.
  const told = 'id -un; readlink /proc/$$/fd/1; echo "to stderr" >&2; read -r line || echo "no input"; exit 3';
  const steps: Extract<FrameItem, { item: "steps" }>["steps"][number][] = [
    { step: "run", argv: ["sh", "-c", told], okExit: [3] },
  ];
  if (target !== undefined) steps.push({ step: "writeFile", path: target, text: "written é\n", mode: "0640" });
  return [
    { item: "steps", task: "0", title: "prints the user's name", steps },
    { item: "read", questions: target === undefined ? [] : [file(target, ["text"])], always: true },
  ];
}

/** The results of two frames. The first only reads; the second acts, then reads the file that it wrote. */
interface Came {
  readonly refused?: { readonly code: string; readonly current: string | undefined };
  readonly read?: unknown;
  readonly said?: readonly string[];
  readonly stderr?: string;
  readonly notices?: readonly string[];
  readonly written?: unknown;
}

async function came(host: OddHost, port: number): Promise<Came> {
  const link = await new SshTransport().connect(addressOf(port, { user, identityFiles: [key] }), signal);
  const session = await openFrameSession({ host: host.name, link, user, become: host.become, signal });
  const started = performance.now();
  try {
    const target = host.writable === undefined ? undefined : join(host.writable, `furrow-frames-${process.pid}`);
    const [read] = await session.frame(
      { items: [{ item: "read", questions: [file("/etc/passwd")] }] },
      ignoreAll,
      signal,
    );
    const notices: string[] = [];
    const listener = {
      ...ignoreAll,
      notice: (text: string) => notices.push(/keeps no journal/.exec(text)?.[0] ?? text),
    };
    const [steps, back] = await session.frame({ items: frameOf(target) }, listener, signal);
    // The notice about the missing journal is not repeated.
    await session.frame({ items: frameOf(target) }, listener, signal);
    if (steps?.item !== "steps") throw new Error("no steps");
    if (steps.failed) throw steps.failed.error;
    const [who = "", kept = "", ...rest] = steps.results[0]?.stdout.trimEnd().split("\n") ?? [];
    const { stderr = "" } = steps.results[0] ?? {};
    const ms = String(Math.round(performance.now() - started)).padStart(5);
    rows.push(
      `${host.name.padEnd(60)} ${ms} ms  output in ${kept.startsWith("pipe") ? "a pipe" : kept.replace(/[^/]*\/[^/]*$/, "…")}`,
    );
    return { read: valueOf(read), said: [who, ...rest], stderr, notices, written: target && valueOf(back) };
  } catch (error) {
    if (host.refused === undefined || !isFurrowError(error)) throw error;
    rows.push(`${host.name.padEnd(60)} refused, as expected`);
    return { refused: { code: error.code, current: error.failure.current } };
  } finally {
    await session.close();
  }
}

function valueOf(result: unknown): FileValue | undefined {
  const { answers: [answer] = [] } = result as { answers?: { value: FileValue }[] };
  return answer?.value;
}

/** The expected result on an odd host. */
function expected({ refused, writable }: OddHost): unknown {
  if (refused !== undefined) return { refused };
  return {
    read: { type: "file" },
    said: ["root", "no input"],
    stderr: "to stderr\n",
    notices: writable === undefined ? ["keeps no journal"] : [],
    ...(writable !== undefined && { written: { type: "file", mode: "0640", text: "written é\n" } }),
  };
}

/** The number of the user's failed attempts, as counted by pam_faillock. */
function counted(): number {
  const said = execFileSync("faillock", ["--dir", tally, "--user", user], { encoding: "utf8" });
  return said.split("\n").filter((line) => line.trimEnd().endsWith("V")).length;
}

describe.runIf(isRoot)("a frame that reads and a frame that acts", () => {
  if (isRoot) makeUser(user, password);

  afterAll(() => {
    removeAccounts();
    removeFolders();
    process.stderr.write(`${rows.join("\n")}\n`);
    covered(`frames in ${rows.length} shells, forms of sudo and odd hosts`);
  });

  const hosts = oddHosts({ user, password, folder, tally });
  test.each(hosts.filter(({ sh = "/", login = "/" }) => [sh, login].every(existsSync)))("$name", async (host) => {
    execFileSync("usermod", ["-s", host.login ?? "/bin/bash", user]);
    setSudoers(user, host.sudoers?.join("\n"));
    const asSh = host.sh === undefined ? "" : `mount --bind "$(readlink -f ${host.sh})" "$(readlink -f /bin/sh)"`;
    const world = [asSh, host.world].filter(Boolean).join("\n");
    const sshd = await startSshd({ authorizedKeys: [key], ...(world !== "" && { world }) });
    try {
      for (let time = 0; time < (host.times ?? 1); time += 1) {
        expect(await came(host, sshd.port)).toMatchObject(expected(host) as object);
      }
      expect(host.counted === undefined ? undefined : counted()).toBe(host.counted);
    } finally {
      await sshd.stop();
    }
  });
});
