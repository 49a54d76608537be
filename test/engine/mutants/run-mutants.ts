import type { Edit } from "./mutant-place.ts";

/** A faulty engine that a table of runs detects: random playbooks on one host cannot express what it does wrong. */
export interface RunMutant extends Edit {
  /** The test file that must detect it. */
  readonly test: string;
  /** The only test in that file that must detect it, if the others take long. */
  readonly only?: string;
  /** The vitest project of that file; default: unit. */
  readonly project?: "unit" | "host";
}

const once = "src/engine/run/run-hosts.test.ts";
const reboot = "src/testing/reboot.test.ts";

/** Possible mistakes in how hosts wait for each other, how a run ends, and what is remembered across a reboot. */
export const runMutants: readonly RunMutant[] = [
  {
    name: "tell once() groups apart by their position in the list",
    in: "onceKeys",
    from: 'const named = `${place ?? ""} ${node.node === "group" ? (node.given ?? "") : ""}`;',
    to: 'const named = `${node.id}${place === undefined ? "" : " "}`;',
    test: once,
  },
  {
    name: "keep a fork slot while waiting for another host",
    in: "inParallel",
    from: "    workers.push(worker());\n    try {",
    to: "    free += 1;\n    try {",
    test: once,
  },
  {
    name: "keep the outputs of a once() on the host that ran it",
    in: "#group",
    from: "      handOn(group, made, outputs, playHost);\n",
    to: "      if (made.size > 9) handOn(group, made, outputs, playHost);\n",
    test: once,
  },
  {
    name: "let others wait for a host that has passed the group",
    in: "#rescued",
    from: '      this.#pass(group.children, "failed before it");\n',
    to: "",
    test: once,
  },
  {
    name: "read ahead while a frame is open",
    in: "questions",
    from: "if (hostIsMissing || this.isBusy) return [];",
    to: "if (hostIsMissing) return [];",
    test: "src/engine/ahead/sent-frame.test.ts",
  },
  {
    name: "let a second frame through",
    in: "begin",
    from: "if (this.#open !== undefined) {",
    to: "if (this.#open === frame) {",
    test: "src/core/host/one-frame.test.ts",
  },
  {
    name: "choose an exit code before the run has finished",
    in: "of",
    from: "if (!this.#finished) throw",
    to: "if (!this.#finished && this.#at.size > 99) throw",
    test: "src/cli/run/run-end.test.ts",
  },
  {
    name: "forget that a boot empties /run",
    in: "pathOverBoot",
    from: "if (volatile.test(path))",
    to: 'if (path === "/run")',
    test: reboot,
  },
  {
    name: "predict no boot at all",
    in: "predictSideEffects",
    from: "if (card.reboots === true) host",
    to: "if (card.reboots === true && perhaps) host",
    test: reboot,
  },
  {
    name: "apply become twice",
    in: "stepsAs",
    from: "return become === undefined || become === own\n",
    to: "return become === undefined\n",
    test: "src/engine/run/reach.test.ts",
  },
  {
    name: "send a refused password again",
    in: "send",
    from: '      if (known !== "untold") throw known;\n',
    to: "",
    test: "src/transport/tried-passwords.test.ts",
  },
  {
    name: "send a password before its result is known",
    in: "send",
    from: "    this.#fates.set(place, promise);\n",
    to: "    queueMicrotask(() => this.#fates.set(place, promise));\n",
    test: "src/transport/tried-passwords.test.ts",
  },
  {
    name: "ignore what a link disturbs",
    in: "fileKind",
    from: 'return value !== absent && value.type === "link" ? value.target : undefined;',
    to: "return undefined;",
    test: "test/paths/aliased.test.ts",
    only: "a link to a link leads on",
  },
  {
    name: "plan to remove a directory that holds a mount point",
    in: "lossRefusal",
    from: "inUse(path, goes.uses) ?? ",
    to: "",
    test: "tasks/file/file.test.ts",
  },
  {
    name: "wait out a delay although the run is stopping",
    in: "pause",
    from: "AbortSignal.any([signal, stop])",
    to: "signal",
    test: "src/engine/run/stopping.test.ts",
  },
  {
    name: "ignore hard links",
    in: "twinsOf",
    from: "if (this.#inodes.size === 0) return [];",
    to: "if (patterns.length >= 0) return [];",
    test: "test/paths/aliased.test.ts",
    only: "a hard link's mode changes by its other name",
  },
  {
    name: "forget which run's host was taken over",
    in: "keep_as_taken",
    from: '{ echo "$run_id" >"$1/taken"; } 2>/dev/null || return 1',
    to: "return 1",
    test: "src/transport/frame/lock/taken.host.test.ts",
    only: "dash.*has heard nothing, and another run has come and gone",
    project: "host",
  },
  {
    name: "end a run whose runner another run stopped",
    in: "#toItsEnd",
    from: 'if (end === undefined || end.why === "stop") return first;',
    to: 'if (end?.why !== "lease") return first;',
    test: "src/transport/frame/lock/taken.host.test.ts",
    only: "dash.*has heard from its host, and finds another run there",
    project: "host",
  },
];
