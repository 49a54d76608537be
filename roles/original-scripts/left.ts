import { absent, absolutePath, file, task, z } from "../../src/authoring.ts";

/** The unit of the original scripts that forwarded both ports to the cluster. */
export const formerExposure = "socat-proxy.service";

/**
 * The watchdog of the original scripts, which cron runs. On some hosts, the crontab has many identical lines for it.
 */
export const formerWatchdog = "/usr/local/bin/restart_harvester_vms_script.sh";

/** Removes files that are no longer needed. */
export const noFiles = task({
  name: "noFiles",
  summary: "Remove files of other tools that are no longer needed",
  params: z.strictObject({ paths: z.array(absolutePath()).describe("Files that must not exist") }),
  examples: [],
  title: () => "no files from the original scripts",
})
  .facts((p) => ({ files: p.paths.map((path) => file(path)) }))
  .want((_p, now) => ({ files: now.files.map((): typeof absent => absent) }))
  .steps((p, { change }) =>
    p.paths.map((path, at) => change.files?.[at] && { step: "remove", path, recursive: false }),
  );
