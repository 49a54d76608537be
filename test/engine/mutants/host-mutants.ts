import type { RunMutant } from "./run-mutants.ts";

/** Possible mistakes in how the transport handles a host that is out of disk space or stops answering. */
export const hostMutants: readonly RunMutant[] = [
  {
    name: "treat a step's output as complete although the disk was full",
    in: "run_step",
    from: "    if has_room; then\n",
    to: "    if has_room || true; then\n",
    project: "host",
    test: "src/transport/frame/session/full-disk.host.test.ts",
    only: "2.7 MB of output meet 876 KiB",
  },
  {
    name: "wait forever for a silent host",
    in: "#look",
    from: "  async #look(): Promise<void> {\n",
    to: "  async #look(): Promise<void> {\n    if (this.#heard >= 0) return;\n",
    project: "host",
    test: "src/transport/frame/session/stall.host.test.ts",
    only: "fails with its name and that of the task",
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
