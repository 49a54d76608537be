import type { FrameItem } from "../../core/frame.ts";
import { ask, defineKind } from "../../core/kind.ts";

/** A kind that looks for its own script among the arguments of all processes, and may take too long. */
const slowKind = defineKind<string>({
  name: "slow-in-test",
  summary: "Where the script of a kind with a deadline is seen",
  facets: {},
  deadlineSeconds: 1,
  read: (questions) =>
    questions
      .map(({ number, key }) =>
        key === "slow"
          ? "sleep 5"
          : `m=mark-of; m=$m-the-script; grep -aqs "$m" /proc/[0-9]*/cmdline && echo '${number} seen=yes' || echo '${number} seen=no' # mark-of-the-script`,
      )
      .join("\n"),
  parse: ({ seen }) => (seen === "no" ? "no argument" : "an argument"),
});

/** Asks the slow kind: `quick` is answered at once, `slow` after its deadline. */
export function askSlowKind(key: "quick" | "slow"): FrameItem {
  return { item: "read", questions: [ask(slowKind, key)] };
}

/** A kind without a deadline whose answer does not come, as from a dead file server. */
const hangingKind = defineKind<string>({
  name: "hanging-in-test",
  summary: "What waits for ever without any work",
  facets: {},
  read: () => "sleep 30",
  parse: () => "never",
});

/** Asks the hanging kind. */
export function askHangingKind(): FrameItem {
  return { item: "read", questions: [ask(hangingKind, "x")] };
}
