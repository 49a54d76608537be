import type { RunMutant } from "./run-mutants.ts";

/** Possible mistakes in how the transport handles a host that is out of disk space or stops answering. */
export const hostMutants: readonly RunMutant[] = [
  {
    name: "treat a step's output as complete although the disk is full",
    in: "run_step",
    from: "    if has_room; then\n",
    to: "    if has_room || true; then\n",
    project: "host",
    test: "src/transport/frame/session/full-disk.host.test.ts",
    only: "2.7 MB of output does not fit into 876 KiB",
  },
  {
    name: "wait forever for a silent host",
    in: "#look",
    from: "  async #look(): Promise<void> {\n",
    to: "  async #look(): Promise<void> {\n    if (this.#heard >= 0) return;\n",
    project: "host",
    test: "src/transport/frame/session/stall.host.test.ts",
    only: "causes an error that names the host and the task",
  },
  {
    name: "mistake a hanging host for a working one",
    in: "#isAlive",
    from: "if (life?.works !== true) return false;",
    to: "if (life === undefined) return false;\n    if (life.last !== '') return true;",
    project: "host",
    test: "src/transport/frame/session/stall.host.test.ts",
    only: "fails if a read hangs without using CPU time",
  },
];

/** Possible mistakes in a run whose host has been taken over by another run. */
export const takenMutants: readonly RunMutant[] = [
  {
    name: "forget which run's host was taken over",
    in: "keep_as_taken",
    from: '{ echo "$run_id $holder_text" >"$1/taken"; } 2>/dev/null || return 1',
    to: "return 1",
    test: "src/transport/frame/lock/taken.host.test.ts",
    only: "dash.*had no answer from its host, and another run has held the host in the meantime",
    project: "host",
  },
  {
    name: "end a run whose runner was stopped by another run",
    in: "#toItsEnd",
    from: 'if (end === undefined || end.why === "stop") return first;',
    to: 'if (end?.why !== "lease") return first;',
    test: "src/transport/frame/lock/taken.host.test.ts",
    only: "dash.*had an answer from its host, and another run now holds the host",
    project: "host",
  },
];
