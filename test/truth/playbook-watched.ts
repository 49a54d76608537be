/** All tasks of the truth playbook, and what it has no place for, with somebody who looks at everything around them. */
import { playbook, z } from "furrow";
import * as t from "furrow/tasks";
import { bystander } from "./bystander.ts";
import { accounts } from "./playbook-accounts.ts";
import { files } from "./playbook-files.ts";
import { services } from "./playbook-services.ts";
import { storage } from "./playbook-storage.ts";

const untagged = (): { readonly tags: readonly string[] } => ({ tags: [] });

export default playbook({
  name: "Watched",
  vars: z.object({ fixtures: z.string(), web: z.string(), digest: z.string(), disks: z.array(z.string()).min(2) }),
  plays: [
    {
      // By itself, since every look at a data disk reads much of it.
      hosts: "all",
      tasks: ({ vars }) => [storage(vars, untagged), bystander({ devices: vars.disks.slice(0, 1) })],
    },
    {
      hosts: "all",
      tasks: ({ vars }) => [
        files(vars, untagged),
        accounts(untagged),
        services(untagged),
        t.service({ name: "steady", enabled: true }),
        t.package({ name: "nano", state: "absent" }),
        t.package({ name: ["tree", "zip"] }),
        t.packageIndex({ maxAgeSeconds: 60 }),
        t.mount({ path: "/mnt/memory", source: "tmpfs", fileSystem: "tmpfs" }),
        t.file({ path: "/mnt/memory/file", content: "in memory\n" }),
      ],
    },
    {
      // What a play keeps, none of its own tasks takes away.
      hosts: "all",
      tasks: () => [
        t.mount({ path: "/mnt/memory", state: "absent" }),
        t.user({ name: "games", state: "absent" }),
        t.reboot({ when: "always", deadlineSeconds: 120 }),
        bystander({ devices: [] }),
      ],
    },
  ],
});
