import { absent, absolutePath, file, refuse, type Refusal, type Step, task, z } from "../../src/authoring.ts";
import { fileText } from "../../src/facts/catalogue.ts";
import { entriesIn, readsVariable, variable, withWordsInEntries, withWordsInEnvironment } from "./grub-texts.ts";

const word = z
  .string()
  .regex(/^[A-Za-z0-9][\w.,:=+%@/~!*^[\]-]*$/, "a kernel parameter without spaces or quotes, like rd.iscsi.ibft");

const params = z.strictObject({
  words: z.array(word).min(1).describe("Kernel parameters that every entry must contain once"),
  bootargs: absolutePath()
    .default("/etc/cos/bootargs.cfg")
    .describe("File that the node's system builds the kernel command line from"),
  environment: absolutePath().default("/oem/grubenv").describe("GRUB's environment, which survives an upgrade"),
  state: absolutePath().default("/run/initramfs/cos-state").describe("Mount point of the partition with grub.cfg"),
});

type Params = z.output<typeof params>;

/**
 * Sets kernel parameters of a Harvester node. Its bootargs.cfg appends a variable from /oem/grubenv to the command line
 * of each boot entry (package/harvester-os of harvester/harvester-installer; Harvester docs, "Upgrade from v1.6.x to
 * v1.7.x"), and an upgrade keeps that variable (package/upgrade/upgrade_node.sh of harvester/harvester). Older releases
 * do not read it; for those, the task changes the lines of grub.cfg, which the next upgrade overwrites
 * (harvesterhci.io, kb/2024-02-19).
 */
export const bootParameters = task({
  name: "bootParameters",
  summary: "Set kernel parameters once in every boot entry of a Harvester node",
  params,
  examples: [],
  title: ({ words }) => `every boot entry has ${words.join(" ")}`,
  // The partition is mounted read-only, and is remounted writable while grub.cfg is written.
  disturbs: ({ state }) => [`mount:${state}`, `file:${state}/**`],
})
  .facts((p) => ({
    bootargs: file(p.bootargs, ["text"]),
    environment: file(p.environment, ["text"]),
    config: file(configOf(p), ["text"]),
  }))
  .want((p, { bootargs, environment, config }) => {
    const said = fileText(bootargs);
    const entries = fileText(config);
    if (said === undefined || entries === undefined || entriesIn(entries) === 0) return notHarvester(p);
    if (!readsVariable(said)) return { config: { text: withWordsInEntries(entries, p.words) } };
    const changed = withWordsInEnvironment(environment === absent ? undefined : fileText(environment), p.words);
    if ("problem" in changed) return odd(p, changed.problem);
    return { environment: { type: "file" as const, text: changed.text } };
  })
  .steps((p, { change, now, want }) => {
    const { environment, config } = want as Readonly<Record<string, { readonly text: string } | undefined>>;
    const save: Step = {
      step: "writeFile",
      path: p.environment,
      text: environment?.text ?? "",
      replaces: fileText(now.environment) ?? null,
    };
    return [change.environment && save, change.config && rewrite(p, fileText(now.config) ?? "", config?.text ?? "")];
  })
  .notes((p, { bootargs }) =>
    readsVariable(fileText(bootargs) ?? "")
      ? []
      : [
          `this release does not read ${variable}: the next upgrade of Harvester undoes what is written to ${configOf(p)}; rerun this playbook after the upgrade, before the node reboots`,
        ],
  );

function configOf({ state }: Params): string {
  return `${state}/grub2/grub.cfg`;
}

/**
 * Writes grub.cfg on its partition, which is mounted read-only, and leaves the mount as it was. The old file stays next
 * to it.
 */
function rewrite(p: Params, before: string, after: string): Step {
  const script = `at=$1 file=$2 before=$3 after=$4
ro=; while read -r _ where _ options _; do
[ "$where" != "$at" ] || case ,$options, in *,ro,*) ro=yes;; *) ro=;; esac
done </proc/self/mounts
new=$file.furrow
back() { rm -f "$new"; sync; [ -z "$ro" ] || mount -o remount,ro "$at"; }
[ -z "$ro" ] || mount -o remount,rw "$at" || exit 1
trap back EXIT
[ "$(cat "$file"; echo .)" = "$before." ] || { echo "$file has changed in the meantime" >&2; exit 1; }
cp -p "$file" "$file.before-furrow" && cp -p "$file" "$new" && printf %s "$after" >"$new" && sync && mv -f "$new" "$file"`;
  return {
    step: "run",
    label: `write ${configOf(p)}`,
    argv: ["sh", "-c", script, "sh", p.state, configOf(p), before, after],
    timeoutSeconds: 60,
  };
}

function notHarvester(p: Params): Refusal {
  return refuse({
    code: "not-harvester",
    message: "this host does not boot like a Harvester node",
    current: `no ${p.bootargs}, or no entries in ${configOf(p)}`,
    expected: "both files",
    hint: "Leave this host out; for other hosts, use the grubParameter task",
  });
}

function odd(p: Params, problem: string): Refusal {
  return refuse({
    code: "not-understood",
    message: `${p.environment} cannot be edited safely: ${problem}`,
    hint: `Look at it with grub2-editenv ${p.environment} list, and correct it with grub2-editenv`,
  });
}
