import type { Mutant } from "./mutant.ts";

/**
 * Mistakes that have an effect only if answers take time, connections break and others use the host; test/simulation
 * detects them.
 */
export const simulationMutants: readonly Mutant[] = [
  {
    name: "read ahead while a frame that was sent ahead is running",
    in: "questions",
    from: "if (hostIsMissing || this.isBusy) return [];",
    to: "if (hostIsMissing) return [];",
    mode: "simulated",
  },
  {
    name: "lose runFinished",
    in: "#finish",
    from: '    this.#tally.sink({ type: "runFinished", run, mode, recap, durationMs, interrupted, ...controller });\n',
    to: "    void [run, mode, recap, durationMs, interrupted, controller];\n",
    mode: "simulated",
  },
  {
    name: "report a Ctrl-C after the end of the run",
    in: "#finish",
    from: "    this.#stopping.end();\n",
    to: "",
    mode: "simulated",
  },
  {
    name: "send a frame out of turn, while another is open on the connection",
    in: "take",
    from: "    await before;\n",
    to: "    void before;\n",
    mode: "simulated",
  },
  {
    name: "forget the answers that came before a loss",
    in: "#talk",
    from: "      this.#reader.restart();\n",
    to: "      this.#answers = this.#fresh();\n      this.#reader.restart();\n",
    mode: "simulated",
  },
  {
    name: "treat a lost connection as the end",
    in: "drop",
    from: "return now() - this.#lostSince < this.#options.reconnectSeconds * 1000;",
    to: "return tries < 0;",
    mode: "simulated",
  },
  {
    name: "keep the stop order from the host",
    in: "watch",
    from: "      [stop, () => void onStop()],\n",
    to: "      [stop, () => void onStop],\n",
    mode: "simulated",
  },
  {
    name: "leave the host locked",
    in: "bye",
    from: "if (this.#claimed || this.#runs)",
    to: 'if (this.#greeted && this.#claimed && this.#complaints !== "")',
    mode: "simulated",
  },
  {
    name: "take a host without asking who holds it",
    in: "#send",
    from: "const claims = this.#identity.holder !== undefined && !this.#claimed;",
    to: "const claims = this.#claimed;",
    mode: "simulated",
  },
  {
    name: "let the heartbeat outlive the session",
    in: "close",
    from: "    this.#heartbeat.end();\n",
    to: "",
    mode: "simulated",
  },
];
