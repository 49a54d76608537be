import type { Mutant } from "./mutant.ts";

/** Mistakes that only show where answers take their time, links break, and others use the host: test/simulation finds them. */
export const simulationMutants: readonly Mutant[] = [
  {
    name: "read ahead while a tape plays",
    file: "engine/attempt.ts",
    from: "if (isYetToBe || deck.tape !== undefined) return [];",
    to: "if (isYetToBe) return [];",
    mode: "simulated",
  },
  {
    name: "lose runFinished",
    file: "engine/run.ts",
    from: '    this.#tally.sink({ type: "runFinished", run, mode, recap, durationMs, interrupted, ...controller });\n',
    to: "    void [run, mode, recap, durationMs, interrupted, controller];\n",
    mode: "simulated",
  },
  {
    name: "tell of a Ctrl-C behind the end of the run",
    file: "engine/run.ts",
    from: "    this.#stopping.end();\n",
    to: "",
    mode: "simulated",
  },
  {
    name: "send a frame out of one's turn, while another is open on the line",
    file: "engine/turn.ts",
    from: "    await before;\n",
    to: "    void before;\n",
    mode: "simulated",
  },
  {
    name: "forget the answers that came before a loss",
    file: "transport/frame/exchange.ts",
    from: "      this.#reader.restart();\n",
    to: "      this.#answers = this.#fresh();\n      this.#reader.restart();\n",
    mode: "simulated",
  },
  {
    name: "take a lost link for the end",
    file: "transport/frame/shell-lines.ts",
    from: "return now() - this.#lostSince < this.#options.reconnectSeconds * 1000;",
    to: "return tries < 0;",
    mode: "simulated",
  },
  {
    name: "keep the stop order from the host",
    file: "transport/frame/orders.ts",
    from: "      [stop, () => void onStop()],\n",
    to: "      [stop, () => void onStop],\n",
    mode: "simulated",
  },
  {
    name: "leave the host locked",
    file: "transport/frame/shell-line.ts",
    from: "if (this.#claimed || this.#runs)",
    to: 'if (this.#greeted && this.#claimed && this.#complaints !== "")',
    mode: "simulated",
  },
  {
    name: "take a host without asking who has it",
    file: "transport/frame/shell-line.ts",
    from: "const claims = this.#identity.holder !== undefined && !this.#claimed;",
    to: "const claims = this.#claimed;",
    mode: "simulated",
  },
  {
    name: "let the sign of life outlive the session",
    file: "transport/frame/session.ts",
    from: "    this.#life.cancel();\n",
    to: "",
    mode: "simulated",
  },
];
