import { ran, rebootNeeded, seconds, task, z } from "../../src/authoring.ts";

const params = z.strictObject({
  when: z
    .enum(["ifNeeded", "always"], { error: '"ifNeeded" or "always"' })
    .default("ifNeeded")
    .describe(
      "Reboot only if an installed package asks for it (/run/reboot-required, needs-restarting, or a newer kernel if the host has neither), or every time",
    ),
  deadlineSeconds: seconds().default(900).describe("Time limit in seconds for the host to come back"),
});

/** Reboots the host and waits until it is back. */
export const reboot = task({
  name: "reboot",
  summary: "Reboot the host, if needed or every time, and wait until it is back",
  params,
  examples: [{}, { when: "always", deadlineSeconds: 1800 }],
  title: (p) => (p.when === "always" ? "reboot" : "reboot if needed"),
  disturbs: () => ["everything"],
  reboots: true,
})
  .facts((p) => (p.when === "always" ? { ran: ran("reboot") } : { needed: rebootNeeded() }))
  .want((p) => (p.when === "always" ? { ran: true } : { needed: { needed: false } }))
  .steps((p) => [{ step: "reboot", deadlineSeconds: p.deadlineSeconds }])
  .notes((_p, { needed }) =>
    needed === undefined || !needed.needed
      ? []
      : [["the host needs a reboot", needed.because.join(", ")].filter(Boolean).join(": ")],
  );
