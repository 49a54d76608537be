import * as fc from "fast-check";
import type { Node } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";

const contents = ["one\n", "two\n", "port=1\nname=x\n"] as const;
const lines = ["port=1", "port=2", "name=y", "# end"] as const;

/** One random thing a playbook lists; numbers choose among a few names, so that tasks meet each other. */
type Operation =
  | {
      readonly op: "file" | "line" | "block" | "link" | "folder" | "cron" | "user" | "group" | "service";
      readonly which: number;
    }
  | { readonly op: "once" | "append" | "spoil" | "fail"; readonly which: number };

/** A random playbook, with what all its tasks about one thing agree on: plays that contradict themselves are refused. */
export interface TwinProgram {
  readonly operations: readonly Operation[];
  readonly wishes: readonly { readonly text: number; readonly mode: string; readonly gone: boolean }[];
}

const folder = "/srv/twins";
const which = fc.nat({ max: 2 });
const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      op: fc.constantFrom(
        "file",
        "file",
        "line",
        "line",
        "block",
        "link",
        "folder",
        "cron",
        "user",
        "group",
        "service",
      ),
      which,
    }),
  },
  { weight: 3, arbitrary: fc.record({ op: fc.constantFrom("once", "append", "spoil"), which }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("fail" as const), which }) },
);

/** Random playbooks of 6 to 16 tasks. */
export const twinPrograms: fc.Arbitrary<TwinProgram> = fc.record({
  operations: fc.array(operation, { minLength: 6, maxLength: 16, size: "max" }),
  wishes: fc.array(
    fc.record({
      text: fc.nat({ max: 2 }),
      mode: fc.constantFrom("0644", "0600"),
      gone: fc.nat({ max: 4 }).map((n) => n === 0),
    }),
    { minLength: 3, maxLength: 3 },
  ),
});

/** What the commands may do: what later tasks then want of it is decided in the run, not by check. */
const reach = [`file:${folder}/**`, "crontab:root"];
const unit = (text: string): string =>
  `[Unit]\nDescription=${text.split("\n")[0]}\n[Service]\nExecStart=/bin/sleep 100000\n`;

/**
 * True where check can tell what the run does: no command takes away what later tasks find, and no unit is named twice
 * (check cannot tell that the second of two tasks finds a changed unit file loaded by the first, and says `changed`).
 */
export function isForeseeable({ operations }: TwinProgram): boolean {
  const services = operations.filter(({ op }) => op === "service").map(({ which }) => which);
  return !operations.some(({ op }) => op === "spoil") && new Set(services).size === services.length;
}

/** The tasks of a program: new calls each time, since what a task puts out is kept by call. */
export function twinNodes({ operations, wishes }: TwinProgram): Node[] {
  const wish = (at: number): TwinProgram["wishes"][number] => wishes[at] ?? { text: 0, mode: "0644", gone: false };
  const make = ({ op, which: n }: Operation): Node => {
    const { text, mode, gone } = wish(n);
    const content = contents[text] ?? "";
    switch (op) {
      case "file":
        return gone
          ? t.file({ path: `${folder}/file${n}`, state: "absent" })
          : t.file({ path: `${folder}/file${n}`, content, mode });
      case "line":
        return t.fileLine({ path: `${folder}/conf${n}`, line: lines[text] ?? "", match: "^port=", create: true });
      case "block":
        return t.fileBlock({ path: `${folder}/conf${n}`, block: `[block]\nsize=${text}\n`, create: true });
      case "link":
        return t.file({ path: `${folder}/link${n}`, state: "link", target: `file${text}` });
      case "folder":
        return t.file({ path: `${folder}/folder${n}/below`, state: "directory", mode: gone ? "0700" : "0755" });
      case "cron":
        return gone
          ? t.cron({ name: `job${n}`, state: "absent" })
          : t.cron({ name: `job${n}`, schedule: `${text} 4 * * *`, command: `true ${n}` });
      case "user":
        return gone
          ? t.user({ name: `twin${n}`, state: "absent" })
          : t.user({ name: `twin${n}`, shell: `/bin/${text === 0 ? "sh" : "bash"}` });
      case "group":
        return gone ? t.group({ name: `twins${n}`, state: "absent" }) : t.group({ name: `twins${n}`, gid: 5000 + n });
      case "service":
        return serviceNodes(n, content, gone);
      case "once":
        return t.command({ command: `echo ${n} >${folder}/once${n}`, creates: `${folder}/once${n}` });
      case "append":
        return t.command({ command: `echo more >>${folder}/conf${n}`, always: true, mayProvide: reach });
      case "spoil":
        return t.command({
          command: `rm -rf ${folder}/file${n} ${folder}/once${n}; crontab -r || true`,
          always: true,
          mayProvide: reach,
        });
      case "fail":
        if (n === 1) return t.command({ command: "exit 3", always: true }, { ignoreFailure: true });
        return t.file({ path: `${folder}/none${n}/file`, content }, { ignoreFailure: n < 2 });
    }
  };
  return [t.file({ path: folder, state: "directory" }), ...operations.map(make)];
}

function serviceNodes(n: number, content: string, gone: boolean): Node[] {
  const file = t.file({ path: `/etc/systemd/system/twin${n}.service`, content: unit(content) });
  const conf = t.file({ path: `/etc/twin${n}.conf`, content });
  return [file, conf, t.service({ name: `twin${n}`, state: gone ? "stopped" : "started", restartOn: [file, conf] })];
}
