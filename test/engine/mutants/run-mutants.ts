import type { Edit } from "./mutant-place.ts";

/** A faulty engine whose fault does not show in random playbooks on one host. A named test file detects the fault. */
export interface RunMutant extends Edit {
  /** The test file that must detect the fault. */
  readonly test: string;
  /** The only test in that file that must run, if the others take long. */
  readonly only?: string;
  /** The vitest project of the test file. Default: unit. */
  readonly project?: "unit" | "programs" | "host";
}

const once = "src/engine/run/run-hosts.test.ts";
const reboot = "src/testing/reboot.test.ts";

/** Possible mistakes in how hosts wait for each other, how a run ends, and what furrow remembers across a reboot. */
export const runMutants: readonly RunMutant[] = [
  {
    name: "distinguish once() groups by their position in the list",
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
    from: "      copyOutputs(group, made, outputs, playHost);\n",
    to: "      if (made.size > 9) copyOutputs(group, made, outputs, playHost);\n",
    test: once,
  },
  {
    name: "make others wait for a host that has passed the group",
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
    test: "src/engine/run/task-session.test.ts",
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
    name: "ignore the target of a link",
    in: "fileKind",
    from: 'return value !== absent && value.type === "link" ? value.target : undefined;',
    to: "return undefined;",
    test: "test/paths/aliased.programs.test.ts",
    project: "programs",
    only: "also takes effect through a link to the link",
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
    in: "hardLinksOf",
    from: "if (this.#inodes.size === 0) return [];",
    to: "if (patterns.length >= 0) return [];",
    test: "test/paths/aliased.programs.test.ts",
    project: "programs",
    only: "include a hard link, so a mode that is set under one name also applies under the other",
  },
];
