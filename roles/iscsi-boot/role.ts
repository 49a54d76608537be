import { absent, role, task, z } from "../../src/authoring.ts";
import { file } from "../../src/facts/catalogue.ts";
import { bootParameters } from "./boot-parameters.ts";

/** Where the kernel exposes the table that describes the firmware's iSCSI boot disk (iscsi_ibft; ACPI tables). */
const tables = ["/sys/firmware/ibft", "/sys/firmware/acpi/tables/iBFT"] as const;

/** Finds out whether a node's firmware booted it from iSCSI. */
export const startedByIscsi = task({
  name: "startedByIscsi",
  summary: "Find out whether a node's firmware booted it from iSCSI",
  params: z.strictObject({}),
  examples: [],
  title: () => "whether the firmware boots this node from iSCSI",
})
  .facts(() => ({ tables: tables.map((path) => file(path)) }))
  .want(() => ({}))
  .steps(() => [])
  .outputs((_p, now): boolean => now.tables.some((one) => one !== absent))
  .notes((_p, now) =>
    now.tables.every((one) => one === absent)
      ? ["no iSCSI boot firmware table (iBFT), so this node is not changed"]
      : [],
  );

/** The vars of the playbook. */
export const iscsiBootSchema = z.strictObject({
  words: z
    .array(z.string())
    .min(1)
    .default(["rd.iscsi.firmware", "rd.iscsi.ibft"])
    .describe("Kernel parameters that make dracut attach the disk that the firmware describes"),
  everywhere: z.boolean().default(false).describe("Change nodes without an iBFT too"),
});

/** Sets the kernel parameters that a Harvester node needs to boot from the iSCSI disk that its firmware describes. */
export const iscsiBoot = role(
  {
    name: "iscsi boot",
    summary: "Set the kernel parameters that a node needs to boot from the iSCSI disk that its firmware describes",
    params: iscsiBootSchema,
  },
  ({ words, everywhere }) => {
    const started = startedByIscsi({});
    return everywhere ? [bootParameters({ words })] : [started, bootParameters({ words }, { when: started.output })];
  },
);
