import { defineCommand } from "../words/command.ts";
import { labelOf, type PlannedTask } from "../../engine/plan/plan.ts";
import { paintFor } from "../../report/text/colours.ts";
import { taskName } from "../../report/text/words.ts";
import { withRepeated } from "../words/arguments.ts";
import { flagsOf } from "../words/flags.ts";
import { type Listed, type ListedPlay, listText } from "../run/list-text.ts";
import { allTasks, planAll, type PlayPlan } from "../run/plans.ts";
import { prepareRun } from "../run/request.ts";
import { print, printJson, wantsColor } from "../terminal.ts";
import { withTypes } from "../run/types-gate.ts";

/** The `furrow list PLAYBOOK` command. */
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
    if (args.json) printJson({ schema: 1, playbook: loaded.playbook.name, plays });
    else {
      const style = { paint: paintFor(wantsColor(process.stdout)), folder: process.cwd(), fold: !args["no-fold"] };
      print(listText(loaded.playbook.name, plays, style));
    }
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
      const hosts = listed.get(id)?.hosts ?? [];
      listed.set(id, { ...line, hosts: hosts.at(-1) === host ? hosts : [...hosts, host] });
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
