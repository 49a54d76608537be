import type { Node } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";
import type { Next } from "./playbook-files.ts";

const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHGUqVJ3NjrJ5hjHvJkE6dSg2V8Y7CnXx1bVZpC7h1Ux ana@laptop";

/** Tasks for groups, users, their keys and their jobs. */
export function accounts(next: Next): Node[] {
  return [
    t.group({ name: "truth", gid: 4711 }, next()),
    t.group({ name: "adm" }, next()),
    t.group({ name: "oldgroup", state: "absent" }, next()),
    t.user({ name: "ana", uid: 4711, group: "truth", groups: ["adm"], shell: "/bin/sh" }, next()),
    t.user({ name: "ben", shell: "/bin/bash", comment: "Ben" }, next()),
    t.user({ name: "daemon" }, next()),
    t.user({ name: "olduser", state: "absent", removeHome: true }, next()),
    t.authorizedKey({ user: "ana", key }, next()),
    t.authorizedKey({ user: "ben", key, options: 'from="10.0.0.0/8"' }, next()),
    t.file({ path: "/home/ana/notes", content: "for ana\n", owner: "ana", group: "truth" }, next()),
    t.cron({ name: "beat", schedule: "*/5 * * * *", command: "true beat" }, next()),
    t.cron({ name: "there", schedule: "1 2 * * *", command: "true there" }, next()),
    t.cron({ name: "adopted", schedule: "3 4 * * *", command: "true adopted" }, next()),
    t.cron({ name: "gone", state: "absent" }, next()),
    t.cron({ name: "hers", schedule: "@daily", command: "true hers", user: "ana" }, next()),
    t.cron({ name: "site", schedule: "5 5 * * *", command: "true site", file: "truth-site" }, next()),
  ];
}
