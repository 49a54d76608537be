import type { Mutant } from "./mutant.ts";

/** Mistakes somebody could make in how a frame is taken up after a lost line. */
export const journalMutants: readonly Mutant[] = [
  {
    name: "send again what had begun",
    in: "afterLoss",
    from: 'if (manner === "detached") return { move: "ask" };',
    to: 'if (manner === "detached") return { move: "send", manner };',
    mode: "lossy",
  },
  {
    name: "send anew what the host says has not begun, though it says that it has",
    in: "afterWord",
    from: 'return word.state === "begun" ? undefined :',
    to: 'return word.state === "begun" && course.seconds < 0 ? undefined :',
    mode: "lossy",
  },
  {
    name: "count half a record of the journal as taken",
    in: "#count",
    from: "if (this.#lines === undefined && this.#output === undefined) this.#taken",
    to: "this.#taken",
    mode: "lossy",
  },
  {
    name: "take up a byte too late",
    in: "#talk",
    from: "line.ask(this.#nonce, this.#reader.taken,",
    to: "line.ask(this.#nonce, this.#reader.taken + 1,",
    mode: "lossy",
  },
  {
    name: "begin the answer anew when it is taken up",
    in: "#talk",
    from: "      this.#reader.restart();\n",
    to: "      this.#reader.restart();\n      this.#answers = this.#fresh();\n",
    mode: "lossy",
  },
];
