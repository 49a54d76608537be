import { absent, absolutePath, file, task, z } from "../../src/authoring.ts";

/** The unit by which the original scripts led both ports to the cluster. */
export const formerExposure = "socat-proxy.service";

/** Their watchdog: cron runs it, on some hosts many times over. */
export const formerWatchdog = "/usr/local/bin/restart_harvester_vms_script.sh";

/** Keeps files away that nothing needs any more. */
export const noFiles = task({
  name: "noFiles",
  summary: "Remove files of others that nothing needs any more",
  params: z.strictObject({ paths: z.array(absolutePath()).describe("Files that must not be there") }),
  examples: [],
  title: () => "no files of the original scripts",
})
  .facts((p) => ({ files: p.paths.map((path) => file(path)) }))
  .want((_p, now) => ({ files: now.files.map((): typeof absent => absent) }))
  .steps((p, { change }) =>
    p.paths.map((path, at) => change.files?.[at] && { step: "remove", path, recursive: false }),
  );
