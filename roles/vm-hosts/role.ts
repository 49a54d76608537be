import { role, z } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";
import { bridgeParam, bridgeThere } from "./bridge-there.ts";
import { bridgeFields } from "./bridges.ts";
import { virtFields, virtValid } from "./virt-valid.ts";

/**
 * Refuses a host that cannot run virtual machines, or has no bridge for them. Creates the bridges that its vars
 * describe, and installs the program that checks whether the host can run virtual machines.
 */
export const vmHost = role(
  {
    name: "vm host",
    summary: "Create bridges for virtual machines, and refuse a host that cannot run them",
    params: z.strictObject({
      host: z.string(),
      needed: z.array(bridgeParam()),
      ...bridgeFields,
      like: z.array(z.string()),
      ...virtFields,
    }),
  },
  ({ host, needed, bridges, like, emulation, virtFailures }) => {
    const validation = t.command(
      { command: ["virt-host-validate", "qemu"], okExit: [0, 1], readOnly: true },
      { name: `virt-host-validate on ${host}` },
    );
    return [
      needed.map((name) => {
        const bridge = bridges[name];
        return bridge === undefined
          ? bridgeThere({ host, bridge: name })
          : t.networkInterface({ kind: "bridge", name, ...bridge });
      }),
      t.package({ name: like.includes("debian") ? "libvirt-clients" : "libvirt-client" }),
      validation,
      virtValid({ host, output: validation.output.map(({ stdout }) => stdout), emulation, virtFailures }),
    ];
  },
);
