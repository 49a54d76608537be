import { spawn } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openEnclosure } from "./enclosure.ts";
import { memoryOf } from "./memory.ts";

/** A program with its arguments, working directory and environment. */
export interface Program {
  readonly argv: readonly string[];
  readonly cwd?: string;
  /** Environment variables in addition to this process's own. */
  readonly env?: Readonly<Record<string, string>>;
  /** The file used as the program's stdin; by default, stdin is empty. */
  readonly inputFile?: string;
}

/** The cost of one run of a program. */
export interface Measured {
  readonly wallMs: number;
  /** CPU time of the program and everything it started, including background processes. */
  readonly cpuMs: number;
  /** The peak memory of all the program's processes; 0 if memory was not measured. */
  readonly peakBytes: number;
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Milliseconds between two measurements of a program's memory. */
const lookEveryMs = 25;

/**
 * Runs a program until it ends. Processes that it leaves running in the background (such as an ssh master) are killed
 * after the figures are taken, so each run starts cold.
 *
 * @param options `memory`: sample the program's memory while it runs. This takes time, so do not use it for timed runs
 */
export async function measured(program: Program, options: { readonly memory?: boolean } = {}): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), "furrow-bench-"));
  const enclosure = openEnclosure();
  const output = [join(folder, "stdout"), join(folder, "stderr")] as const;
  // Use files instead of pipes: a background process would keep a pipe open, and reading from a pipe takes CPU time.
  const descriptors = [openSync(program.inputFile ?? "/dev/null", "r"), ...output.map((path) => openSync(path, "w"))];
  const argv = [...enclosure.enter, ...program.argv];
  let peakBytes = 0;
  const look = (): void => void (peakBytes = Math.max(peakBytes, memoryOf(enclosure.processes())));
  const looking = options.memory === true ? setInterval(look, lookEveryMs) : undefined;
  try {
    const started = performance.now();
    const child = spawn(argv[0] ?? "", argv.slice(1), {
      ...(program.cwd === undefined ? {} : { cwd: program.cwd }),
      env: { ...process.env, ...program.env },
      stdio: descriptors,
    });
    const exitCode = await new Promise<number>((resolve, reject) => {
      child.once("error", reject);
      child.once("exit", (code) => resolve(code ?? 128));
    });
    const wallMs = performance.now() - started;
    const cpuMs = enclosure.cpuMs();
    const [stdout, stderr] = output.map((path) => readFileSync(path, "utf8"));
    return { wallMs, cpuMs, peakBytes, exitCode, stdout: stdout ?? "", stderr: stderr ?? "" };
  } finally {
    clearInterval(looking);
    await enclosure.end();
    for (const descriptor of descriptors) closeSync(descriptor);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Like `measured`; throws with the program's output if it does not exit with 0. */
export async function measuredWell(program: Program, options: { readonly memory?: boolean } = {}): Promise<Measured> {
  const ended = await measured(program, options);
  if (ended.exitCode === 0) return ended;
  const said = `${ended.stdout}${ended.stderr}`.split("\n").slice(-40).join("\n");
  throw new Error(`exit ${ended.exitCode}: ${program.argv.join(" ")}\n${said}`);
}
