/**
 * All tasks in the truth playbook, and tasks that do not fit into it. A bystander makes the run read many more facts
 * around these tasks.
 */
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
      // A separate play, because every read of a data disk takes a long time.
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
      // A play never removes what its own tasks set up, so this is a separate play.
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
