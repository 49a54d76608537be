import { playbook } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";
import { project, zone } from "./gce-fake/fake.ts";

const place = { project, zone };

/** Provisions a machine with everything that belongs to it. */
export const provision = playbook({
  name: "one machine",
  plays: [
    {
      hosts: "all",
      tasks: () => [
        t.gceNetwork({ name: "lab", project }),
        t.gceFirewall({
          name: "lab-ssh",
          project,
          network: "lab",
          allow: ["tcp:22"],
          sourceRanges: ["192.0.2.7/32"],
        }),
        t.gceAddress({ name: "lab", project, region: "europe-west3" }),
        t.gceDisk({ name: "lab-data", ...place, sizeGb: 350, labels: { role: "data" } }),
        t.gceInstance({
          name: "lab",
          ...place,
          machineType: "n2-standard-16",
          image: { project: "suse-cloud", family: "sles-15" },
          disks: ["lab-data"],
          network: "lab",
          address: { name: "lab" },
          nested: true,
          labels: { role: "harvester" },
          sshKeys: [{ user: "admin", key: "ssh-ed25519 AAAA me@here" }],
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
        t.gceInstance({ name: "lab", ...place, state: "absent" }),
        t.gceDisk({ name: "lab-data", ...place, state: "absent" }),
        t.gceAddress({ name: "lab", project, region: "europe-west3", state: "absent" }),
        t.gceFirewall({ name: "lab-ssh", project, state: "absent" }),
        t.gceNetwork({ name: "lab", project, state: "absent" }),
      ],
    },
  ],
});
