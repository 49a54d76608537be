import { playbook } from "../../../src/authoring.ts";
import * as t from "../../../tasks/index.ts";

const owner = "lab";
const group = "lab";

/** A machine with a data disk, in its own network. */
export const provision = playbook({
  name: "a machine",
  plays: [
    {
      hosts: "all",
      tasks: () => [
        t.azureResourceGroup({ name: group, location: "westeurope", owner }),
        t.azureNetwork({ name: "lab", group, owner, inbound: [{ allow: ["tcp:22"], from: ["192.0.2.7/32"] }] }),
        t.azureDisk({ name: "lab-data", group, sizeGb: 350, owner }),
        t.azureVirtualMachine({
          name: "lab",
          group,
          network: "lab",
          size: "Standard_D16s_v5",
          image: "Debian:debian-12:12-gen2:latest",
          publicKeys: ["ssh-ed25519 AAAA me@here"],
          dataDisks: ["lab-data"],
          nestedVirtualization: true,
          owner,
          tags: { "made-by": "furrow" },
        }),
      ],
    },
  ],
});

/** Removes the machine and everything that belongs to it. */
export const destroy = playbook({
  name: "nothing left",
  plays: [
    {
      hosts: "all",
      tasks: () => [
        t.azureVirtualMachine({ name: "lab", group, owner, state: "absent" }),
        t.azureDisk({ name: "lab-data", group, owner, state: "absent" }),
        t.azureNetwork({ name: "lab", group, owner, state: "absent" }),
        t.azureResourceGroup({ name: group, owner, state: "absent" }),
      ],
    },
  ],
});
