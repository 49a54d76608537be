import { absent } from "../../src/authoring.ts";
import type { Case } from "../../src/testing/index.ts";
import { cron } from "./cron.ts";

const user = {
  uid: 1000,
  group: "web",
  groups: [],
  member: { web: true },
  home: "/home/web",
  shell: "/bin/sh",
  comment: "",
};
const program = { path: "/usr/bin/crontab" };
const job = { name: "watchdog", schedule: "*/2 * * * *", command: "/bin/watch" } as const;
const block = "# furrow: watchdog\n*/2 * * * * /bin/watch\n";
const here = { daemons: [{ path: "/usr/sbin/cron" }, absent], daemonFiles: [absent, absent, absent] };
const none = { ...here, daemons: [absent, absent] };
const own = cron(job);
const gone = cron({ name: "watchdog", state: "absent" });
const folder = { type: "directory", mode: "0755", owner: "root", group: "root" };
const inFile = cron({ ...job, file: "furrow" });
const goneFile = cron({ name: "watchdog", state: "absent", file: "furrow" });
const file = { ...folder, type: "file", mode: "0644", text: "# furrow: watchdog\n*/2 * * * * root /bin/watch\n" };

/** Test cases for `cron`: each gives the state of a host and what the task does in that state. */
export const cases: readonly Case[] = [
  {
    title: "no crontab",
    call: own,
    now: { program, ...here, crontab: absent },
    steps: ["install the crontab of root"],
  },
  {
    title: "a crontab with other jobs",
    call: own,
    now: { program, ...here, crontab: { text: "1 1 * * * a\n" } },
    steps: ["install the crontab of root"],
  },
  { title: "already up to date", call: own, now: { program, ...here, crontab: { text: block } }, steps: [] },
  {
    title: "a different schedule",
    call: own,
    now: { program, ...here, crontab: { text: block.replace("*/2", "*/5") } },
    steps: ["install the crontab of root"],
  },
  {
    title: "the only job must be removed",
    call: gone,
    now: { program, ...here, crontab: { text: block } },
    steps: ["remove the crontab of root"],
  },
  {
    title: "the job is gone",
    call: gone,
    now: { program: absent, ...none, crontab: absent },
    steps: [],
  },
  {
    title: "no cron",
    call: own,
    now: { program: absent, ...here, crontab: absent },
    steps: [],
    refusal: "no-cron",
  },
  {
    title: "a crontab program without a daemon",
    call: own,
    now: { program, ...none, crontab: absent },
    steps: [],
    refusal: "no-cron",
  },
  {
    title: "the crontab of another user",
    call: cron({ ...job, user: "web" }),
    now: { user, program, ...here, crontab: absent },
    steps: ["install the crontab of web"],
  },
  {
    title: "no such user",
    call: cron({ ...job, user: "web" }),
    now: { user: absent, program, ...here, crontab: absent },
    steps: [],
    refusal: "no-user",
  },
  { title: "no file", call: inFile, now: { ...here, file: absent, folder }, steps: ["write /etc/cron.d/furrow"] },
  { title: "the file is already up to date", call: inFile, now: { ...here, file, folder }, steps: [] },
  {
    title: "a world-writable file",
    call: inFile,
    now: { ...here, file: { ...file, mode: "0666" }, folder },
    steps: ["write /etc/cron.d/furrow"],
  },
  {
    title: "no daemon that would read the file, although /etc/cron.d exists, as with Debian's e2fsprogs",
    call: inFile,
    now: { ...none, file: absent, folder },
    steps: [],
    refusal: "no-cron",
  },
  {
    title: "a file to remove",
    call: goneFile,
    now: { ...here, file, folder },
    steps: ["remove /etc/cron.d/furrow"],
  },
];
