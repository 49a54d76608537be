import { nameless, withoutName } from "../../report/fold/alike.ts";
import { playHosts, shortNames, whichHosts } from "../../report/fold/short-names.ts";
import type { Paint } from "../../report/text/colours.ts";
import { safeLine } from "../../report/text/value.ts";
import { padded, widthOf } from "../../report/text/width.ts";
import { count, position } from "../../report/text/words.ts";

/** One line of the list: a task, and the hosts that the task runs on. */
export interface Listed {
  readonly task: string;
  readonly module: string;
  readonly tags: readonly string[];
  readonly hosts: readonly string[];
  readonly source: string | undefined;
}

/** A play with its tasks. */
export interface ListedPlay {
  readonly play: string;
  /** The hosts' names; undefined if an earlier task creates the hosts. */
  readonly hosts: readonly string[] | undefined;
  /** Hosts whose tasks cannot be listed without connecting, because they depend on the hosts' facts. */
  readonly undecided: readonly string[];
  readonly tags: readonly string[];
  readonly tasks: readonly Listed[];
}

/** The options for showing a list. */
export interface ListStyle {
  readonly paint: Paint;
  /** Paths are shown relative to this folder. */
  readonly folder: string;
  /** Whether tasks that differ only in the host name share a line, and whether long lists of hosts are shortened. */
  readonly fold: boolean;
}

/** Formats what `furrow list` prints. */
export function listText(playbook: string, plays: readonly ListedPlay[], style: ListStyle): string {
  const { paint, folder, fold } = style;
  const blocks = plays.map(({ play, hosts, undecided, tasks: all }) => {
    const tasks = (fold ? foldOwnNames(all) : all).map(safeTask);
    const width = Math.max(0, ...tasks.map(({ task }) => widthOf(task)));
    const lines = tasks.map(({ task, tags, hosts: on, source }) => {
      const some = hosts === undefined ? "" : someHosts(on, { hosts, undecided, fold });
      const marks = tags.length === 0 ? "" : `  [${[...new Set(tags)].join(", ")}]`;
      const place = source === undefined ? "" : paint.dim(`  ${safeLine(position(source, folder))}`);
      return `  ${padded(task, width)}${marks}${some}${place}`.trimEnd();
    });
    const open =
      undecided.length === 0
        ? []
        : [`  ${names(undecided, fold)}: the tasks are known only after the host's facts are read; a check shows them`];
    const where =
      hosts === undefined
        ? "hosts created by an earlier task"
        : `${count(hosts.length, "host")}${hosts.length === 0 ? "" : `: ${names(hosts, fold)}`}`;
    return [paint.strong(`play ${safeLine(play)}`) + paint.dim(`  ${where}`), ...lines, ...open].join("\n");
  });
  return `${[paint.strong(safeLine(playbook)), ...blocks].join("\n\n")}\n`;
}

function safeTask({ task, tags, ...listed }: Listed): Listed {
  return { ...listed, task: safeLine(task), tags: tags.map(safeLine) };
}

function names(hosts: readonly string[], fold: boolean): string {
  return fold ? playHosts(hosts) : hosts.join(", ");
}

/** Lists the hosts of a task; empty if all hosts have it. */
function someHosts(
  on: readonly string[],
  {
    hosts,
    undecided,
    fold,
  }: { readonly hosts: readonly string[]; readonly undecided: readonly string[]; readonly fold: boolean },
): string {
  if (on.length >= hosts.length) return "";
  if (!fold || on.length === 1) return `  on ${on.join(", ")}`;
  const own = new Set(on);
  // "All but web1" would mean that web1 does not have the task, which is not certain while some tasks are undecided.
  return `  on ${
    undecided.length > 0
      ? shortNames(on, 48)
      : whichHosts(
          on,
          hosts.filter((host) => !own.has(host)),
        )
  }`;
}

/** Merges the tasks of single hosts that differ only in the host's name. */
function foldOwnNames(tasks: readonly Listed[]): Listed[] {
  const groups = new Map<string, Listed[]>();
  for (const task of tasks) {
    const [host = ""] = task.hosts;
    const title = task.hosts.length === 1 ? nameless(task.task, host) : task.task;
    const key = JSON.stringify([title, task.source, task.tags]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [task]);
    else group.push(task);
  }
  return [...groups.values()].flatMap(([first, ...rest]) => {
    if (first === undefined) return [];
    if (rest.length === 0) return [first];
    const hosts = [first, ...rest].flatMap((one) => one.hosts);
    return [{ ...first, task: withoutName(first.task, first.hosts[0] ?? ""), hosts }];
  });
}
