/**
 * About fifty tasks that cover every module that works on a plain host. Most of these tasks make changes. Task n has
 * the tag `tn`, so that a run can select a single task. `before.sh` prepares the host.
 */
import { type CommonOptions, playbook, z } from "furrow";
import * as t from "furrow/tasks";
import { accounts } from "./playbook-accounts.ts";
import { files } from "./playbook-files.ts";
import { services } from "./playbook-services.ts";
import { storage } from "./playbook-storage.ts";

const vars = z.object({
  /** Folder on the controller for files that the playbook sends and fetches. */
  fixtures: z.string(),
  /** URL of a web server that serves the files in `fixtures`. */
  web: z.string(),
  /** SHA-256 of `site.tar.gz` in hex. */
  digest: z.string(),
  /** The host's data disks: an empty disk, and a disk with a file system. */
  disks: z.array(z.string()).length(2),
});

export default playbook({
  name: "Truth of check mode",
  vars,
  plays: [
    {
      hosts: "all",
      tasks: ({ vars }) => {
        let count = 0;
        const next = (): CommonOptions & { tags: readonly string[] } => ({ tags: [`t${(count += 1)}`] });
        return [
          t.assert({ that: [{ check: vars.disks.length > 0, message: "a data disk is needed" }] }, next()),
          t.waitFor({ port: 22, deadlineSeconds: 10 }, next()),
          files(vars, next),
          accounts(next),
          services(next),
          storage(vars, next),
          t.package({ name: "curl" }, next()),
          t.package({ name: "nano", state: "absent" }, next()),
          t.package({ name: ["tree", "zip"] }, next()),
          t.file({ path: "/opt/truth", state: "directory" }, next()),
          t.file({ path: "/opt/truth/zip", state: "link", target: "/usr/bin/zip" }, next()),
          t.httpWait({ url: `${vars.web}/motd`, from: "host", deadlineSeconds: 10 }, next()),
        ];
      },
    },
  ],
});
