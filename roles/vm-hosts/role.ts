import { role, z } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";
import { bridgeParam, bridgeThere } from "./bridge-there.ts";
import { virtFields, virtValid } from "./virt-valid.ts";

/** Refuses a host that cannot run virtual machines, or has no bridge for them. Installs what can tell. */
export const vmHost = role(
  {
    name: "vm host",
    summary: "Refuse a host that cannot run virtual machines, or has no bridge for them",
    params: z.strictObject({
      host: z.string(),
      bridges: z.array(bridgeParam()),
      like: z.array(z.string()),
      ...virtFields,
    }),
  },
  ({ host, bridges, like, emulation, virtFailures }) => {
    const validation = t.command(
      { command: ["virt-host-validate", "qemu"], okExit: [0, 1], readOnly: true },
      { name: `virt-host-validate on ${host}` },
    );
    return [
      // The place of the task that makes a bridge (`networkInterface`), once there is one: before this check.
      bridges.map((bridge) => bridgeThere({ host, bridge })),
      t.package({ name: like.includes("debian") ? "libvirt-clients" : "libvirt-client" }),
      validation,
      virtValid({ host, output: validation.output.map(({ stdout }) => stdout), emulation, virtFailures }),
    ];
  },
);
