import { absent, file, type Step, task, z } from "../../src/authoring.ts";
import { discardMounts, fileText, withoutDiscard } from "../../src/facts/catalogue.ts";

const fstab = "/etc/fstab";

/**
 * Removes the mount option `discard` from fstab and from mounted file systems. A remount that merely omits the option
 * would keep it, so `nodiscard` is passed (ext4(5), xfs(5), btrfs(5)).
 */
export const noDiscard = task({
  name: "noDiscard",
  summary: "Mount no file system with the discard option, now and at every boot",
  params: z.strictObject({}),
  examples: [],
  title: () => "no file system is mounted with discard",
  disturbs: () => ["mount:**"],
})
  .facts(() => ({ fstab: file(fstab, ["text"]), mounts: discardMounts() }))
  .want((_p, now) => ({
    fstab: now.fstab === absent ? absent : { text: withoutDiscard(fileText(now.fstab) ?? "") },
    mounts: { paths: [] },
  }))
  .steps((_p, { change, now }) => {
    const text = fileText(now.fstab) ?? "";
    const save: Step = { step: "writeFile", path: fstab, text: withoutDiscard(text), replaces: text };
    const remount = (path: string): Step => ({
      step: "run",
      argv: ["mount", "-o", "remount,nodiscard", path],
      timeoutSeconds: 60,
    });
    return [change.fstab && save, ...(change.mounts ? now.mounts.paths.map(remount) : [])];
  });
