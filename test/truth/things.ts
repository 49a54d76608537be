import type { Fact, FactPattern, TaskCall } from "../../src/authoring.ts";
import { crontab, file, group, unit, user } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";
import type { Wish } from "../engine/programs.ts";

/** The folder in which the random playbooks put their files. */
export const folder = "/srv/twins";

/**
 * A type of real object that a cell in a random playbook may represent. Scripts run in `sh` as root; they never fail,
 * and do the same on identical hosts.
 */
export interface Thing {
  /** Tasks that bring the object into the desired state. `leaf` chooses the part: 0, 1, or 2 for all. */
  readonly wanted: (name: string, wish: Wish, leaf: number) => readonly TaskCall[];
  /** A fact about the object. */
  readonly fact: (name: string) => Fact;
  /** The fields of the fact's value that are the same on identical hosts. */
  readonly fields: readonly string[];
  /** Patterns for the facts that `spoil` and `provide` change. */
  readonly patterns: (name: string) => readonly FactPattern[];
  /** A script that changes the object, regardless of its state. */
  readonly spoil: (name: string, v: number) => string;
  /** A script that creates the object if it is absent. */
  readonly provide: (name: string, v: number) => string;
}

const at = (name: string): string => `${folder}/${name}`;
const own = (name: string): string[] => [`file:${at(name)}`, `file:${at(name)}/**`];
const onPath = {
  fact: (name: string) => file(at(name), ["sha256"]),
  fields: ["type", "mode", "sha256", "target"],
  patterns: own,
};
const write = (name: string, v: number, w: string): string => `printf 'v=%s\\nw=${w}\\n' ${v} >${at(name)}`;

/** A file with a number and a word, each on its own line. */
export const textFile: Thing = {
  ...onPath,
  wanted(name, { v, w, gone }, leaf) {
    const path = at(name);
    if (gone) return [t.file({ path, state: "absent" })];
    if (leaf === 0) return [t.fileLine({ path, line: `v=${v}`, match: "^v=", create: true })];
    if (leaf === 1) return [t.fileLine({ path, line: `w=${w}`, match: "^w=", create: true })];
    return [t.file({ path, content: `v=${v}\nw=${w}\n`, mode: w === "x" ? "0644" : "0600" })];
  },
  spoil: (name, v) => write(name, v, "spoilt"),
  provide: (name, v) => `[ -e ${at(name)} ] || ${write(name, v, "provided")}`,
};

const config: Thing = {
  ...textFile,
  wanted(name, { v, w, gone }, leaf) {
    const path = at(name);
    const line = gone
      ? t.fileLine({ path, state: "absent", match: "^v=" })
      : t.fileLine({ path, line: `v=${v}`, match: "^v=", create: true });
    const block = gone ? t.fileBlock({ path, state: "absent" }) : t.fileBlock({ path, block: `${w}\n`, create: true });
    return leaf === 0 ? [line] : leaf === 1 ? [block] : [line, block];
  },
};

const link: Thing = {
  ...onPath,
  wanted: (name, { w, gone }) => [
    gone ? t.file({ path: at(name), state: "absent" }) : t.file({ path: at(name), state: "link", target: w }),
  ],
  spoil: (name, v) => `ln -sfn spoilt${v} ${at(name)}`,
  provide: (name) => `[ -L ${at(name)} ] || ln -s provided ${at(name)}`,
};

const directory: Thing = {
  ...onPath,
  wanted(name, { w, gone }, leaf) {
    if (gone) return [t.file({ path: at(name), state: "absent", recursive: true })];
    const mode = w === "x" ? "0700" : "0755";
    return [t.file({ path: leaf === 0 ? at(name) : `${at(name)}/below`, state: "directory", mode })];
  },
  spoil: (name) => `mkdir -p ${at(name)} && chmod 0711 ${at(name)}`,
  provide: (name) => `mkdir -p ${at(name)}/below`,
};

const job: Thing = {
  wanted: (name, { v, gone }) => [
    gone ? t.cron({ name, state: "absent" }) : t.cron({ name, schedule: `${v} 4 * * *`, command: `true ${name}` }),
  ],
  fact: () => crontab("root"),
  fields: ["text"],
  patterns: () => ["crontab:root"],
  spoil: (name, v) =>
    `{ crontab -l 2>/dev/null | grep -v 'true ${name}'; echo '${v} 3 * * * true by hand'; } | crontab -`,
  provide: (name, v) =>
    `crontab -l 2>/dev/null | grep -q 'true ${name}' || { crontab -l 2>/dev/null; echo '${v} 5 * * * true ${name}'; } | crontab -`,
};

const account: Thing = {
  wanted(name, { w, gone }, leaf) {
    if (gone) return [t.user({ name: `twin-${name}`, state: "absent" })];
    const shell = `/bin/${w === "x" ? "sh" : "bash"}`;
    return [t.user({ name: `twin-${name}`, ...(leaf !== 1 && { shell }), ...(leaf !== 0 && { comment: w }) })];
  },
  fact: (name) => user(`twin-${name}`),
  fields: ["shell", "comment"],
  patterns: () => ["user:*", "group:*", "file:/etc/**", "file:/home/**", "file:/var/**"],
  spoil: (name, v) => `usermod -c spoilt${v} twin-${name} 2>/dev/null || true`,
  provide: (name) => `id -u twin-${name} >/dev/null 2>&1 || useradd -m twin-${name} 2>/dev/null || true`,
};

const accounts: Thing = {
  wanted: (name, { v, gone }) => [
    gone ? t.group({ name: `twins-${name}`, state: "absent" }) : t.group({ name: `twins-${name}`, gid: 5000 + v }),
  ],
  fact: (name) => group(`twins-${name}`),
  fields: ["gid"],
  patterns: () => ["user:*", "group:*", "file:/etc/**"],
  spoil: (name, v) => `groupmod -g ${5100 + v} twins-${name} 2>/dev/null || true`,
  provide: (name) => `groupadd twins-${name} 2>/dev/null || true`,
};

const unitText = (w: string): string =>
  `[Unit]\nDescription=${w}\n[Service]\nExecStart=/bin/sleep 100000\n[Install]\nWantedBy=multi-user.target\n`;

const daemon: Thing = {
  wanted(name, { v, w, gone }, leaf) {
    const unitFile = t.file({ path: `/etc/systemd/system/twin-${name}.service`, content: unitText(w) });
    const conf = t.file({ path: `/etc/twin-${name}.conf`, content: `v=${v}\n` });
    const state = gone ? ("stopped" as const) : ("started" as const);
    const enabled = leaf === 0 ? {} : { enabled: !gone };
    if (leaf < 2) return [unitFile, t.service({ name: `twin-${name}`, state, ...enabled })];
    return [unitFile, conf, t.service({ name: `twin-${name}`, state, ...enabled, restartOn: [unitFile, conf] })];
  },
  fact: (name) => unit(`twin-${name}`),
  fields: ["state", "enabled"],
  patterns: () => ["unit:*", "file:/etc/**", "entries:/etc/**"],
  spoil: (name, v) => `echo spoilt=${v} >/etc/twin-${name}.conf; systemctl stop twin-${name} 2>/dev/null || true`,
  provide: (name) =>
    `u=/etc/systemd/system/twin-${name}.service; [ -e $u ] || { printf '${unitText("provided").replaceAll("\n", "\\n")}' >$u; systemctl daemon-reload; systemctl start twin-${name}; }`,
};

const made: Thing = {
  ...onPath,
  wanted: (name, { w }) => [
    t.command({ command: `echo ${w} >${at(name)}`, creates: at(name), disturbs: own(name), mayProvide: [] }),
  ],
  spoil: (name) => `rm -rf ${at(name)}`,
  provide: (name) => `[ -e ${at(name)} ] || echo provided >${at(name)}`,
};

const log: Thing = {
  ...textFile,
  wanted: (name, { w }) => [t.command({ command: `echo ${w} >>${at(name)}`, always: true, disturbs: own(name) })],
};

const sorts: readonly Thing[] = [textFile, config, link, directory, job, account, accounts, daemon, daemon, made, log];

/** The type of object that a program's cell represents. */
export function thingOf(name: string, wishes: readonly Wish[]): Thing {
  const wish = name.startsWith("c") ? wishes[Number(name.slice(1))] : undefined;
  return wish === undefined ? textFile : (sorts[wish.sort % sorts.length] ?? textFile);
}

/** True if a cell represents a unit. */
export function isUnit({ sort }: Wish): boolean {
  return sorts[sort % sorts.length] === daemon;
}
