import { playbook } from "../../../src/authoring.ts";
import * as t from "../../../tasks/index.ts";

const owner = "lab";
const publicKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEtVyUwBxUtUWrHl9L8ReFxpKg2ThgNQ6zXWyQOFvVwC me@here";

/** Provisions a droplet with everything that belongs to it. */
export const provision = playbook({
  name: "one droplet",
  plays: [
    {
      hosts: "all",
      tasks: () => [
        t.digitalOceanSshKey({ name: "lab", publicKey }),
        t.digitalOceanFirewall({ name: "lab", owner, inbound: [{ allow: ["tcp:22"], from: ["192.0.2.7/32"] }] }),
        t.digitalOceanVolume({ name: "lab-data", region: "fra1", sizeGb: 350, owner, tags: ["data"] }),
        t.digitalOceanDroplet({
          name: "lab",
          region: "fra1",
          size: "g-16vcpu-64gb",
          image: "debian-12-x64",
          publicKeys: [publicKey],
          volumes: ["lab-data"],
          owner,
          tags: ["made-by:furrow"],
        }),
      ],
    },
  ],
});

/** Removes the droplet and everything that belongs to it. */
export const destroy = playbook({
  name: "nothing left",
  plays: [
    {
      hosts: "all",
      tasks: () => [
        t.digitalOceanDroplet({ name: "lab", owner, state: "absent" }),
        t.digitalOceanVolume({ name: "lab-data", region: "fra1", owner, state: "absent" }),
        t.digitalOceanFirewall({ name: "lab", owner, state: "absent" }),
        t.digitalOceanSshKey({ name: "lab", state: "absent" }),
      ],
    },
  ],
});
