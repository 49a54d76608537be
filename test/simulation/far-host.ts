import type { Random, VirtualWorld } from "./virtual-world.ts";

/** A process on a simulated host. */
export interface Process {
  alive: boolean;
}

/** A file `run.KIND.RUN.SESSION…`, which records that a process acts on the host for a run. */
export interface Claim {
  readonly kind: "a" | "r" | "x" | "y";
  readonly run: string;
  readonly session: string;
  readonly holder: string;
  readonly process: Process;
  /** The process that maintains the connection; undefined for a runner. */
  readonly carrier: Process | undefined;
  /** Uptime at the last heartbeat, in seconds. */
  lease: number;
}

/** The folder that belongs to a session: `at.RUN.SESSION`. */
export interface Folder {
  readonly run: string;
  readonly session: string;
  readonly journals: Map<string, Journal>;
  readonly givenUp: Set<string>;
  stop: boolean;
  /** True if another run is waiting for this run, which has lost its controller. */
  wanted: boolean;
  lease: number;
  /** The run that has taken over the host from this session. */
  taken: string | undefined;
  /** State and title of the last task, as recorded in its file. */
  task: string | undefined;
  /** The running step, which `kill` ends. */
  current: { readonly process: Process; readonly uncut: boolean } | undefined;
}

/** The text that a runner has written, and whether it is still writing. */
export interface Journal {
  text: Buffer;
  /** The output of the running step so far. This output is not in the journal yet, and is shown after the journal. */
  live: string | undefined;
  readonly runner: Process;
}

/** Settings and callbacks of a simulated host. */
export interface FarHostOptions {
  readonly name: string;
  readonly world: VirtualWorld;
  readonly random: Random;
  /** Keyed by `cell:NAME`. */
  readonly cells: Map<string, unknown>;
  /** Executes a command on the cells. */
  readonly perform: (argv: readonly string[], cells: Map<string, unknown>) => FarResult;
  /** False if the host cannot write files, and so keeps no journals. */
  readonly journals: boolean;
  /** Called when a host detects a violation. */
  readonly violated: (text: string) => void;
  /** The time at which the first operator gives a stop order, in milliseconds on the virtual clock. */
  readonly stopAt: number | undefined;
  /** Called when a run has taken over the host. */
  readonly taken?: (run: string) => void;
}

/** The result of a command. */
export interface FarResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A lease older than this many seconds has expired (`on-host/host-lock.sh`). */
const leaseSeconds = 300;

/**
 * A host in memory: its cells, the runs that have claimed it, and what sessions have left on it. Does not import
 * anything from furrow.
 */
export class FarHost {
  readonly options: FarHostOptions;
  readonly boot = "b00t";
  readonly claims = new Set<Claim>();
  readonly folders = new Map<string, Folder>();
  /** Sessions from which another run has taken over the host, including those whose folders no longer exist. */
  readonly noted = new Set<string>();
  /** Counts of executed frames and of other events. */
  readonly counts = { frames: 0, steps: 0, guardsFailed: 0, losses: 0, asked: 0 };
  readonly #processes = new Set<Process>();
  /** Output that may be printed only once, keyed by run and text. */
  readonly #said = new Set<string>();

  constructor(options: FarHostOptions) {
    this.options = options;
  }

  /** Whole seconds since boot. */
  get uptime(): number {
    return 5000 + Math.floor(this.options.world.now() / 1000);
  }

  start(): Process {
    const process = { alive: true };
    this.#processes.add(process);
    return process;
  }

  /** Ends a process; its claims then belong to a dead process. */
  end(process: Process): void {
    process.alive = false;
    this.#processes.delete(process);
  }

  /** Everything on the host that a run should have removed. */
  get left(): string[] {
    const claims = [...this.claims].map(
      ({ kind, run, process }) => `claim ${kind} of ${run}${process.alive ? "" : " †"}`,
    );
    const folders = [...this.folders.values()].map(({ run }) => `folder of ${run}`);
    return [...claims, ...folders, ...(this.#processes.size > 0 ? [`${this.#processes.size} processes`] : [])];
  }

  /** Reads the claims of other runs, as `_fck` does. */
  others(run: string): { holds: Claim | undefined; runs: Claim[]; alive: Set<string> } {
    let holds: Claim | undefined;
    const runs: Claim[] = [];
    const alive = new Set<string>();
    for (const claim of this.claims) {
      if (claim.run === run) continue;
      if (!claim.process.alive) {
        this.claims.delete(claim);
        continue;
      }
      const fresh = claim.carrier?.alive !== false && this.uptime - claim.lease <= leaseSeconds;
      if (claim.kind === "a" && !fresh) {
        this.end(claim.process);
        this.claims.delete(claim);
        continue;
      }
      alive.add(claim.run);
      if (claim.kind === "a") holds ??= claim;
      if (claim.kind === "r") runs.push(claim);
    }
    return { holds, runs, alive };
  }

  /**
   * Claims the host for a run, as `_flk` does. Returns what the shell prints first, and whether the run may continue.
   */
  take(claim: Claim): { readonly said: string; readonly taken: boolean } {
    this.claims.add(claim);
    const { holds, runs, alive } = this.others(claim.run);
    const [first] = runs;
    if (holds ?? first) {
      this.claims.delete(claim);
      if (holds) return { said: `K held ${holds.run} ${holds.holder}`, taken: false };
      const folder = first && this.folders.get(`${first.run}.${first.session}`);
      for (const run of runs) {
        const other = this.folders.get(`${run.run}.${run.session}`);
        if (other) other.wanted = true;
      }
      const task = (folder?.task ?? "").split(" ").slice(1).join(" ");
      return { said: `K runs ${first?.run} ${first?.holder} (${task})`, taken: false };
    }
    const told: string[] = [];
    for (const [name, folder] of this.folders) {
      if (alive.has(folder.run) || folder.run === claim.run) continue;
      if (folder.taken !== undefined) {
        if (folder.taken !== claim.run) this.folders.delete(name);
        continue;
      }
      if (folder.task !== undefined) told.push(`P ${folder.run} ${folder.task}`);
      folder.taken = claim.run;
      this.noted.add(name);
    }
    this.options.taken?.(claim.run);
    return { said: told.join("\n"), taken: true };
  }

  /** Executes a command for a run; reports a violation if another run holds the host. */
  perform(run: string, argv: readonly string[]): FarResult {
    const { holds, runs } = this.others(run);
    const other = holds ?? runs[0];
    if (other && !run.startsWith("x"))
      this.options.violated(`${this.options.name}: ${run} acts while ${other.run} has the host: ${argv.join(" ")}`);
    if (argv[0] === "say" && this.#said.size === this.#said.add(`${run} ${argv[1]}`).size)
      this.options.violated(`${this.options.name}: ${run} repeats a command: ${argv.join(" ")}`);
    this.counts.steps += 1;
    return this.options.perform(argv, this.options.cells);
  }

  /** The lines for one cell, as its kind prints them. */
  lines(key: string): [string, string][] {
    const cell = this.options.cells.get(`cell:${key}`) as { v: number; w: string; writes?: number } | undefined;
    if (cell === undefined) return [];
    return [
      ["v", String(cell.v)],
      ["w", cell.w],
      ["writes", String(cell.writes ?? 0)],
    ];
  }
}
