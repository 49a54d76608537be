import { task, z } from "../../src/authoring.ts";
import { askCluster } from "../cluster-answers/answers.ts";
import { lookAtEach, needsKubeconfig, notSeenTexts, unseenLists } from "../cluster-answers/not-seen.ts";

const lists = ["instances", "machines"] as const;

/** The commands for Windows (the same article; fsutil-behavior in Microsoft's documentation). */
const windowsCommands = [
  "fsutil behavior set DisableDeleteNotify 1",
  "fsutil behavior set DisableDeleteNotify ReFS 1",
  "fsutil behavior query DisableDeleteNotify",
];

/** Says what must be done by hand on Windows guests, and on guests that are off or have no known address. */
export const otherGuests = task({
  name: "otherGuests",
  summary: "Report which guests of a cluster furrow cannot change, and the commands for Windows",
  params: z.strictObject({ kubeconfig: z.string().describe("The cluster's kubeconfig on the controller") }),
  examples: [],
  title: () => "guests that furrow cannot change",
})
  .facts((p) => askCluster(p.kubeconfig, ...lists))
  .want((_p, now) => needsKubeconfig(now))
  .steps(() => [])
  .notes((_p, answers) => {
    const { seen, unseen } = lookAtEach(answers, lists);
    const { instances = [], machines = [] } = seen;
    const systems = new Map(machines.map(({ name, labels }) => [name, labels["harvesterhci.io/os"]]));
    const isWindows = (name: string, system = ""): boolean => system === "mswindows" || systems.get(name) === "windows";
    const on = instances.filter(({ running }) => running);
    const windows = on.filter(({ name, system }) => isWindows(name, system)).map(({ name }) => name);
    const silent = on.filter(({ name, system, addresses }) => !isWindows(name, system) && addresses.length === 0);
    const off = machines.map(({ name }) => name).filter((name) => !on.some((one) => one.name === name));
    return [
      ...notSeenTexts(unseenLists(unseen)),
      ...(windows.length === 0
        ? []
        : [`Windows, as administrator on ${listed(windows)}:`, ...windowsCommands.map((command) => `  ${command}`)]),
      ...(silent.length === 0
        ? []
        : [
            `no known address, so not changed: ${listed(silent.map(({ name }) => name))}; is qemu-guest-agent running?`,
          ]),
      ...(off.length === 0 || unseen.length > 0
        ? []
        : [`off, so not changed: ${listed(off)}; rerun once they are running`]),
    ];
  });

function listed(names: readonly string[]): string {
  return names.toSorted().join(", ");
}
