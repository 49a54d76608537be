import { file, type Step, task, z } from "../../src/authoring.ts";
import { runningHostname } from "../../src/facts/catalogue.ts";

/** Sets the host's name, now and at every later boot. */
export const hostname = task({
  name: "hostname",
  summary: "Set the host's name, now and for every boot",
  params: z.strictObject({
    name: z
      .string({ error: 'a host name, like "harvester-1"' })
      .max(64, "at most 64 characters, which is Linux's limit")
      .regex(
        /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/,
        'a host name of lower-case letters, digits, "-" and ".", like "harvester-1"',
      )
      .describe("Name of the host, short or fully qualified"),
  }),
  examples: [{ name: "harvester-1" }],
  disturbs: () => ["hostname:*", "host:self"],
})
  .facts(() => ({ running: runningHostname(), saved: file("/etc/hostname", ["text"]) }))
  .want(({ name }, { saved }) => ({
    running: name,
    // Comments and blank lines are allowed in the file (hostname(5)) and are kept.
    saved:
      typeof saved === "object" && savedName(saved.text) === name ? undefined : { type: "file", text: `${name}\n` },
  }))
  .steps(({ name }, { change }) => {
    const save: Step = { step: "writeFile", path: "/etc/hostname", text: `${name}\n` };
    return [change.saved && save, change.running && setRunning(name)];
  });

function savedName(text: string | undefined): string | undefined {
  return text?.split("\n").find((line) => line.trim() !== "" && !line.startsWith("#"));
}

const setScript = `if command -v hostname >/dev/null; then exec hostname "$1"; fi
printf %s "$1" >/proc/sys/kernel/hostname`;

/**
 * Sets the running system's name, preferably with the hostname program: a container may be able to set its name
 * although it cannot write the kernel's file.
 */
function setRunning(name: string): Step {
  return {
    step: "run",
    label: `set the running host name to ${name}`,
    argv: ["sh", "-c", setScript, "sh", name],
  };
}
