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

const region = "europe-west3";
const own = { name: "lab", project };

/** Provisions a machine in its own subnetwork. */
export const provisionNetwork = playbook({
  name: "a machine in its own subnetwork",
  plays: [
    {
      hosts: "all",
      tasks: () => [
        t.gceNetwork({ ...own, subnets: "custom" }),
        t.gceSubnetwork({ ...own, region, network: "lab", cidr: "10.20.0.0/20", privateGoogleAccess: true }),
        t.gceFirewall({ ...own, network: "lab", allow: ["tcp:22"], sourceRanges: ["192.0.2.7/32"] }),
        t.gceInstance({
          ...own,
          zone,
          network: "lab",
          subnetwork: "lab",
          machineType: "n2-standard-16",
          image: { project: "debian-cloud", family: "debian-12" },
        }),
      ],
    },
  ],
});

/** Removes that machine and its network. */
export const destroyNetwork = playbook({
  name: "no network left",
  plays: [
    {
      hosts: "all",
      tasks: () => [
        t.gceInstance({ ...own, zone, state: "absent" }),
        t.gceFirewall({ ...own, state: "absent" }),
        t.gceSubnetwork({ ...own, region, state: "absent" }),
        t.gceNetwork({ ...own, state: "absent" }),
      ],
    },
  ],
});
