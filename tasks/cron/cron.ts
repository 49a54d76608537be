import {
  type Absent,
  absent,
  absolutePath,
  contentHash,
  crontab,
  file,
  type FileValue,
  type HostFact,
  mayRefuse,
  name,
  onlyRead,
  peek,
  program,
  type Program,
  refuse,
  type Refusal,
  schedule,
  type Step,
  task,
  user,
  z,
} from "../../src/authoring.ts";
import { contentRead } from "../file/content-read.ts";
import { type Job, putJob, putVariable } from "./edit.ts";

const place = {
  user: name("a user", "root").default("root").describe("Owner of the crontab; with `file`, the user who runs the job"),
  file: z
    .string({ error: 'the name of a file in /etc/cron.d, like "harvester"' })
    .regex(/^[A-Za-z0-9_-]+$/, 'a name of letters, digits, "_" and "-", because cron ignores files with other names')
    .optional()
    .describe("Name of a file in /etc/cron.d for the job, instead of a user's crontab"),
};
const jobName = z
  .string({ error: 'a name for the job, like "watchdog"' })
  .regex(
    /^[^\s\0]([^\n\0]*[^\s\0])?$/,
    'a name for the job, like "watchdog": one line without leading or trailing spaces',
  )
  .describe("Name of the job, written in a comment above it in the crontab");
const command = z
  .string({ error: "a command line for sh" })
  .regex(/^[^\s\0][^\n\0]*$/, "one line for sh that does not begin with a space")
  .refine((text) => !/(^|[^\\])%/.test(text), {
    message: String.raw`a command with "\\%" for every "%", because cron reads a bare % as the end of the command`,
  });
const replaces = absolutePath()
  .optional()
  .describe("A program: all lines without furrow's marker that run it are treated as this job and removed");
const variables = z.record(
  z.string().regex(/^[A-Za-z_]\w*$/, 'the name of a variable, like "MAILTO"'),
  z.string({ error: "a string" }).regex(/^[^\n"\0]*$/, "one line without double quotes or NUL"),
  { error: 'variables by name, like { MAILTO: "" }' },
);

const params = z.union([
  z.strictObject({
    name: jobName,
    state: z.literal("present").default("present").describe("The job is in the crontab exactly once"),
    schedule: schedule().describe('When it runs: "*/5 * * * *" or a macro such as "@reboot", "@daily"'),
    command: command.describe(String.raw`Command line for sh; write "\\%" for "%"`),
    disabled: z.boolean({ error: "true or false" }).default(false).describe("Keep the job, but commented out"),
    replaces,
    env: variables.default({}).describe("Environment lines at the top of the crontab; they apply to all its jobs"),
    ...place,
  }),
  z.strictObject({
    name: jobName,
    state: z.literal("absent").describe("The job is not in the crontab"),
    schedule: schedule().optional().describe("With `command`: also remove a matching job that furrow did not write"),
    command: command.optional().describe("With `schedule`: also remove a matching job that furrow did not write"),
    replaces,
    ...place,
  }),
]);

type Params = z.output<typeof params>;

/** Keeps exactly one copy of a job in a user's crontab or in a file in /etc/cron.d, or removes the job. */
export const cron = task({
  name: "cron",
  summary: "Add a job to a user's crontab or to a file in /etc/cron.d, or remove it",
  params,
  examples: [
    { name: "watchdog", schedule: "*/2 * * * *", command: "/usr/local/bin/watchdog >>/var/log/watchdog.log 2>&1" },
    { name: "backup", schedule: "@daily", command: "/usr/local/bin/backup", user: "backup", env: { MAILTO: "" } },
    { name: "trim", schedule: "30 4 * * sun", command: "fstrim -a", file: "trim", disabled: true },
    { name: "watchdog", state: "absent" },
  ],
  title: (p) => `cron ${p.name}${p.file === undefined ? ` of ${p.user}` : ` in /etc/cron.d/${p.file}`}`,
  disturbs: () => ["file:/var/spool/cron/**"],
})
  .facts((p) => ({
    ...(p.file === undefined && { crontab: crontab(p.user), program: needed(p, program("crontab")) }),
    ...(p.file !== undefined && {
      file: file(`/etc/cron.d/${p.file}`, ["text"]),
      folder: needed(p, file("/etc/cron.d")),
    }),
    daemons: daemons.map((one) => needed(p, program(one))),
    daemonFiles: daemonFiles.map((one) => needed(p, file(one))),
    // Every host has root.
    ...(p.user !== "root" && { user: needed(p, user(p.user)) }),
  }))
  // One daemon is enough: if one exists, it does not matter whether an earlier task adds another.
  .facts((_p, now) =>
    hasDaemon(now)
      ? {
          daemons: daemons.map((one) => onlyRead(program(one))),
          daemonFiles: daemonFiles.map((one) => onlyRead(file(one))),
        }
      : {},
  )
  .want((p, now) => {
    const there = p.state === "present";
    if (there && peek(now, "user") === absent) return noUser(p.user);
    if (there && isWithoutDaemon(now)) return noCron("cron daemon");
    if (p.file !== undefined) {
      if (there && peek(now, "folder") === absent) return noCron("/etc/cron.d");
      const old = now.file === absent || now.file === undefined ? undefined : now.file.text;
      const text = edited(old, p);
      return { file: text === undefined ? absent : { type: "file", text, ...ownership } };
    }
    if (there && peek(now, "program") === absent) return noCron("crontab");
    const text = edited(now.crontab === absent ? undefined : now.crontab?.text, p);
    return { crontab: text === undefined ? absent : { text } };
  })
  .steps((p, { want, now }) => {
    if (p.file !== undefined) {
      const path = `/etc/cron.d/${p.file}`;
      if (typeof want.file !== "object" || want.file.text === undefined) {
        return [{ step: "remove", path, recursive: false }];
      }
      return [{ step: "writeFile", path, text: String(want.file.text), replaces: contentRead(now.file), ...ownership }];
    }
    const text = typeof want.crontab === "object" ? want.crontab.text : undefined;
    return [install(p.user, contentRead(now.crontab), text === undefined ? undefined : String(text))];
  });

/**
 * The daemons that run the jobs and read /etc/cron.d: those of Debian, SUSE and the Red Hat family, and systemd-cron's
 * generator of timers. Without a daemon, nothing runs the jobs in a crontab, such as the one that Debian's e2fsprogs
 * puts in /etc/cron.d.
 */
const daemons = ["cron", "crond"] as const;

/**
 * The paths of the daemons, for hosts whose PATH does not include their directories. Asking about a file costs less
 * than asking about a program.
 */
const daemonFiles = [
  "/usr/sbin/cron",
  "/usr/sbin/crond",
  "/lib/systemd/system-generators/systemd-crontab-generator",
] as const;

interface Daemons {
  readonly daemons: readonly (Absent | Program)[];
  readonly daemonFiles: readonly (Absent | FileValue)[];
}

/** True if a daemon is known to exist. */
function hasDaemon({ daemons: programs, daemonFiles: files }: Daemons): boolean {
  const isThere = (value: unknown): boolean => typeof value === "object";
  return daemons.some((_, at) => isThere(peek(programs, at))) || daemonFiles.some((_, at) => isThere(peek(files, at)));
}

/** True if no daemon exists. */
function isWithoutDaemon({ daemons: programs, daemonFiles: files }: Daemons): boolean {
  return (
    daemons.every((_, at) => peek(programs, at) === absent) && daemonFiles.every((_, at) => peek(files, at) === absent)
  );
}

/** Returns the fact about something that the job needs. */
function needed<T>({ state }: Params, fact: HostFact<T>): HostFact<T> {
  return state === "present" ? mayRefuse(onlyRead(fact), []) : onlyRead(fact);
}

/** cron ignores a file in /etc/cron.d if any user other than root may write to it. */
const ownership = { mode: "0644", owner: "root", group: "root" } as const;

/** Returns the text of the crontab with the wanted job; undefined if nothing is left in the file. */
function edited(old: string | undefined, p: Params): string | undefined {
  const as = p.state === "absent" ? "absent" : p.disabled ? "disabled" : "active";
  const runner = p.file === undefined ? "" : `${p.user} `;
  const line = p.schedule === undefined || p.command === undefined ? undefined : `${p.schedule} ${runner}${p.command}`;
  const job: Job = { name: p.name, line, as, replaces: p.replaces };
  const env = p.state === "present" ? Object.entries(p.env) : [];
  const text = putJob(
    env.reduce((text, [variable, value]) => putVariable(text, variable, value), old ?? ""),
    job,
  );
  if (text.trim() !== "") return text;
  return old === undefined || old === text ? old : undefined;
}

const installScript = `user=$1 verb=$2 was=$3
[ "$(id -u)" = 0 ] && set -- -u "$user" || set --
now=$(crontab "$@" -l 2>/dev/null; echo "$?")
case $now in *0) now=$(crontab "$@" -l | sha256sum) && now=\${now%% *};; *) now=-;; esac
[ "$now" = "$was" ] || { echo "something else changed the crontab of $user while this task ran, so furrow left it as it is: run again" >&2; exit 1; }
if [ "$verb" = install ]; then exec crontab "$@" -; else exec crontab "$@" -r; fi`;

/** Installs a crontab. Only root may use `crontab -u`: other users cannot use it even with their own name. */
function install(owner: string, read: string | null, text: string | undefined): Step {
  const was = read === null ? "-" : contentHash(read);
  const verb = text === undefined ? "remove" : "install";
  return {
    step: "run",
    label: `${verb} the crontab of ${owner}`,
    argv: ["sh", "-c", installScript, "sh", owner, verb, was],
    ...(text !== undefined && { stdin: text }),
  };
}

function noCron(what: string): Refusal {
  return refuse({
    code: "no-cron",
    message: `this host has no ${what}, so cron is not installed`,
    current: `no ${what}`,
    expected: "a cron daemon, such as the one in the cron package on Debian and SUSE",
    hint: 'Put package({ name: "cron" }) before this task; on the Red Hat family, the package is "cronie"',
  });
}

function noUser(owner: string): Refusal {
  return refuse({
    code: "no-user",
    message: `the host has no user ${owner}`,
    hint: `Put user({ name: "${owner}" }) before this task`,
  });
}
