import { block, type Node, on, once, type PlayHost, role, z } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";
import { noDiscard } from "./no-discard.ts";
import { otherGuests } from "./other-guests.ts";
import { trimNeeded } from "./trim-needed.ts";
import { trimTimer, trimTimerThere } from "./trim-timer.ts";

/** The vars of the playbook. */
export const guestFstrimSchema = z.strictObject({
  kubeconfig: z.string().min(1).describe("The cluster's kubeconfig on the controller; read permission is enough"),
  group: z.string().min(1).default("guests").describe("The group of Linux guests; other hosts are not changed"),
  timer: z
    .enum(["spread", "off"])
    .default("spread")
    .describe("`spread`: the guests trim weekly, but not all at once; `off`: they do not trim automatically"),
  randomizedDelaySeconds: z
    .int()
    .positive()
    .default(6000)
    .describe("With `spread`, seconds over which the trimming is spread"),
});

/**
 * Makes guests trim their file systems less often on Harvester releases where trimming is a risk; on other releases,
 * changes nothing.
 */
export const guestFstrim = role(
  {
    name: "guest fstrim",
    summary: "Limit trimming in guests on Harvester releases where it is a risk",
    params: guestFstrimSchema.extend({ host: z.custom<PlayHost>(), hosts: z.custom<readonly PlayHost[]>() }),
  },
  ({ kubeconfig, group, timer, randomizedDelaySeconds, host, hosts }) => {
    const needed = trimNeeded({ kubeconfig });
    const there = trimTimerThere({});
    return [
      once(hosts, [on("localhost", [needed, otherGuests({ kubeconfig }, { when: needed.output })])]),
      host.groups.includes(group) &&
        block(
          "trim less",
          [noDiscard({}), there, block("timer", [timerTask(timer, randomizedDelaySeconds)], { when: there.output })],
          { when: needed.output },
        ),
    ];
  },
);

function timerTask(timer: "spread" | "off", delay: number): Node {
  if (timer === "off") return t.service({ name: trimTimer, state: "stopped", enabled: false });
  // Without the empty value, systemd would add a second schedule to the package's own (systemd.timer(5)).
  const sections = {
    Timer: { OnCalendar: ["", "weekly"], AccuracySec: "1h", Persistent: true, RandomizedDelaySec: delay },
  };
  return t.systemdUnit({ name: trimTimer, dropIn: "50-furrow-spread", sections });
}
