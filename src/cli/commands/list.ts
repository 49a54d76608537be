import { defineCommand } from "../words/command.ts";
import { labelOf, type PlannedTask } from "../../engine/plan/plan.ts";
import { toJson } from "../../report/json.ts";
import { paintFor } from "../../report/text/colours.ts";
import { count, hostNames, position, taskName } from "../../report/text/words.ts";
import { withRepeated } from "../words/arguments.ts";
import { flagsOf } from "../words/flags.ts";
import { allTasks, planAll, type PlayPlan } from "../run/plans.ts";
import { prepareRun } from "../run/request.ts";
import { print, wantsColor } from "../terminal.ts";
import { withTypes } from "../run/types-gate.ts";
import { padded, widthOf } from "../../report/text/width.ts";

/** One line of the list: a task, and the hosts that the task runs on. */
interface Listed {
  readonly task: string;
  readonly module: string;
  readonly tags: readonly string[];
  readonly hosts: readonly string[];
  readonly source: string | undefined;
}

interface ListedPlay {
  readonly play: string;
  /** The hosts' names; undefined if an earlier task creates the hosts. */
  readonly hosts: readonly string[] | undefined;
  /** Hosts whose tasks cannot be listed without connecting, because they depend on the hosts' facts. */
  readonly undecided: readonly string[];
  readonly tags: readonly string[];
  readonly tasks: readonly Listed[];
}

/** The command `furrow list PLAYBOOK`. */
export const command = defineCommand({
  args: flagsOf.list,
  async run({ args, data }) {
    const signal = new AbortController().signal;
    const { vars } = data;
    const flags = withRepeated(args, data);
    const circumstances = { mode: "check", vars, sink: () => {}, stop: signal, kill: signal, leave: signal } as const;
    const { loaded, plays } = await withTypes(flags, async () => {
      const prepared = await prepareRun(flags, circumstances);
      return { loaded: prepared.loaded, plays: planAll(prepared.request).map(listPlay) };
    });
    if (args.json) print(`${JSON.stringify(toJson({ schema: 1, playbook: loaded.playbook.name, plays }))}\n`);
    else print(listText(loaded.playbook.name, plays));
    return 0;
  },
});

function listPlay({ play, name, hosts }: PlayPlan): ListedPlay {
  const undecided = (hosts ?? []).filter(({ plan }) => plan === "facts-needed").map(({ host }) => host);
  const listed = new Map<string, Listed>();
  for (const { host, plan } of hosts ?? []) {
    for (const task of plan === "facts-needed" ? [] : allTasks(plan)) {
      const line = listTask(task, host);
      const id = JSON.stringify([line.task, line.source, line.tags]);
      listed.set(id, { ...line, hosts: [...(listed.get(id)?.hosts ?? []), host] });
    }
  }
  return {
    play: name,
    hosts: hosts?.map(({ host }) => host),
    undecided,
    tags: play.tags ?? [],
    tasks: [...listed.values()],
  };
}

function listTask(task: PlannedTask, host: string): Listed {
  const label = labelOf(task, host);
  return { task: taskName(label), module: label.module, tags: task.tags, hosts: [host], source: label.source };
}

function listText(name: string, plays: readonly ListedPlay[]): string {
  const paint = paintFor(wantsColor(process.stdout));
  const blocks = plays.map(({ play, hosts, undecided, tasks }) => {
    const width = Math.max(0, ...tasks.map(({ task }) => widthOf(task)));
    const lines = tasks.map(({ task, tags, hosts: on, source }) => {
      const some = hosts !== undefined && on.length < hosts.length ? `  on ${hostNames(on)}` : "";
      const marks = tags.length === 0 ? "" : `  [${[...new Set(tags)].join(", ")}]`;
      const place = source === undefined ? "" : paint.dim(`  ${position(source, process.cwd())}`);
      return `  ${padded(task, width)}${marks}${some}${place}`.trimEnd();
    });
    const open = undecided.length === 0 ? [] : [`  ${hostNames(undecided)}: depends on facts, known after connecting`];
    const where =
      hosts === undefined ? "hosts created by an earlier task" : `${count(hosts.length, "host")}: ${hostNames(hosts)}`;
    return [paint.strong(`play ${play}`) + paint.dim(`  ${where}`), ...lines, ...open].join("\n");
  });
  return `${[paint.strong(name), ...blocks].join("\n\n")}\n`;
}
