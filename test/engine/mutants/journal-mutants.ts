import type { Mutant } from "./mutant.ts";

/** Possible mistakes in how furrow resumes a frame after a lost connection. */
export const journalMutants: readonly Mutant[] = [
  {
    name: "resend a frame that has begun",
    in: "afterLoss",
    from: 'if (runsIn === "runner") return { move: "ask" };',
    to: 'if (runsIn === "runner") return { move: "send", runsIn };',
    mode: "lossy",
  },
  {
    name: "resend a frame that the host reports as begun",
    in: "afterWord",
    from: 'return word.state === "begun" ? undefined :',
    to: 'return word.state === "begun" && course.seconds < 0 ? undefined :',
    mode: "lossy",
  },
  {
    name: "count half a journal record as received",
    in: "#count",
    from: "if (this.#lines === undefined && this.#output === undefined) this.#taken",
    to: "this.#taken",
    mode: "lossy",
  },
  {
    name: "resume one byte too late",
    in: "#talk",
    from: "line.ask(this.#nonce, this.#reader.taken,",
    to: "line.ask(this.#nonce, this.#reader.taken + 1,",
    mode: "lossy",
  },
  {
    name: "start the answer over when it resumes",
    in: "#talk",
    from: "      this.#reader.restart();\n",
    to: "      this.#reader.restart();\n      this.#answers = this.#fresh();\n",
    mode: "lossy",
  },
];
