import { isRecord } from "../../src/core/facts/symbols.ts";
import * as t from "../../tasks/index.ts";
import { absoluteCells, cells, type Program, type Wish } from "../engine/programs.ts";
import type { Vocabulary } from "../engine/vocabulary.ts";
import * as own from "./host-tasks.ts";
import { folder, thingOf } from "./things.ts";

type Effect = (cell: number, target: number, v: number, wishes: readonly Wish[]) => ReturnType<Vocabulary["provide"]>;
const nameOf = (cell: number): string => `c${cell}`;
const path = (cell: number): string => `${folder}/${nameOf(cell)}`;

/** The scripts that break or provide the object `target`, and patterns for the facts that they change. */
function partsOf(
  target: number,
  v: number,
  wishes: readonly Wish[],
): Record<"spoil" | "provide", string> & { patterns: string[] } {
  const name = nameOf(target);
  const thing = thingOf(name, wishes);
  return { spoil: thing.spoil(name, v), provide: thing.provide(name, v), patterns: [...thing.patterns(name)] };
}

/** For operations with odd values: a user's command that does the same as the corresponding task. */
function byCommand(cell: number, line: string, script: string, disturbs?: readonly string[]): ReturnType<Effect> {
  return t.command({
    command: `printf '%s\\n' v=0 ${line} >${path(cell)}; ${script}`,
    unless: ["grep", "-qx", line, path(cell)],
    readOnly: true,
    ...(disturbs && { disturbs: [`file:${path(cell)}`, ...disturbs] }),
  });
}

const effects: Record<"provide" | "disturb" | "wreak", Effect> = {
  provide(cell, target, v, wishes) {
    const { provide: script, patterns } = partsOf(target, v, wishes);
    return own.provide({ cell: nameOf(cell), v, script, patterns });
  },
  disturb(cell, target, v, wishes) {
    const { spoil: script, patterns } = partsOf(target, v, wishes);
    if (v % 2 === 1) return byCommand(cell, `v=${v}`, script, patterns);
    return own.disturb({ cell: nameOf(cell), v, script, patterns });
  },
  wreak(cell, target, v, wishes) {
    const { spoil: script } = partsOf(target, v, wishes);
    if (v % 2 === 1) return byCommand(cell, `w=w${v}`, script);
    return own.wreak({ cell: nameOf(cell), v, script });
  },
};

/**
 * The operations on real hosts. The `sort` of a wish determines what kind of object each of the first cells is: files,
 * lines and blocks in a file, links, folders, jobs, users, groups, units, results of commands. The other cells are
 * files with a number and a word.
 */
export const hostVocabulary: Vocabulary = {
  set(cell, wish, leaf) {
    const name = nameOf(cell);
    return thingOf(name, [...Array.from({ length: cell }, () => wish), wish]).wanted(name, wish, leaf);
  },
  raise: (cell, min) => own.raise({ cell: nameOf(cell), min }),
  probe: (cell, declared) =>
    t.command({
      command: `printf '%s\\n' v=2 w=probed >${path(cell)}`,
      unless: ["test", "-e", path(cell)],
      readOnly: true,
      disturbs: [`file:${path(cell)}`],
      ...(declared && { reads: [`file:${path(cell)}`] }),
    }),
  follow: (cell, v) => own.follow({ cell: nameOf(cell), v }),
  await: (cell, v) =>
    t.waitFor({
      path: path(cell),
      state: v % 2 === 0 ? "present" : "absent",
      intervalSeconds: 0.001,
      deadlineSeconds: 0.001,
    }),
  copy(from, to, wishes) {
    const { fact, fields } = thingOf(nameOf(from), wishes);
    return own.copy({ from: fact(nameOf(from)), fields: [...fields], to: nameOf(to) });
  },
  ...effects,
  risky({ cell, way, times, ignored }) {
    const options = { ignoreFailure: ignored };
    if (way === "lies") return own.lie({ cell: nameOf(cell) }, options);
    const count = `${folder}/count-${nameOf(cell)}`;
    const flaky = `n=$(cat ${count} 2>/dev/null || echo 0); echo $((n+1)) >${count}; [ $n -ge ${times} ] || exit 1`;
    const script = way === "fails" ? `echo v=5 >>${path(cell)}; exit 3` : `${flaky}; echo w=risky >>${path(cell)}`;
    return t.command(
      {
        command: script,
        unless: ["grep", "-qx", "w=risky", path(cell)],
        readOnly: true,
        disturbs: [`file:${path(cell)}`, `file:${count}`],
      },
      { ...options, ...(way === "flaky" && { retries: { times: 1, delaySeconds: 0 } }) },
    );
  },
  say: (text, about) =>
    t.command({ command: about % 2 === 0 ? `echo ${text}` : ["echo", text], always: true, disturbs: [] }),
  use: (cell, source) =>
    t.file({ path: `${folder}/later/u${cell}`, content: source.output.map((output) => printed(output)) }),
  fill: (cell) => t.file({ path: `${folder}/later/f${cell}`, content: "full\n" }),
  conditional: (cell, when) => t.file({ path: `${folder}/later/k${cell}`, content: "v=1\n" }, { when }),
};

function printed(output: unknown): string {
  return isRecord(output) ? String(output["stdout"]) : `${String(output)}\n`;
}

const names = [...Array.from({ length: cells }, (_, cell) => nameOf(cell)), "t0", "t1", "t2"];

/**
 * The script that puts a host into a program's initial state, regardless of its previous state; the host `other` has
 * only every second cell.
 */
export function sceneOf({ state, wishes }: Program, host: "main" | "other"): string {
  const all = Array.from({ length: absoluteCells }, (_, cell) => nameOf(cell));
  const provided = names.flatMap((name, position) => {
    const cell = state[position];
    return cell && (host === "main" || position % 2 === 0) ? [thingOf(name, wishes).provide(name, cell.v)] : [];
  });
  return `rm -rf ${folder} /etc/twin-*.conf
mkdir -p ${folder}/later
crontab -r 2>/dev/null
for c in ${all.join(" ")}; do
u=twin-$c.service
if [ -e /etc/systemd/system/$u ]; then
systemctl disable --quiet --now $u
rm -f /etc/systemd/system/$u; fresh=1
fi
id -u twin-$c >/dev/null 2>&1 && userdel -r twin-$c 2>/dev/null
getent group twins-$c >/dev/null && groupdel twins-$c
getent group twin-$c >/dev/null && groupdel twin-$c
done
[ -z "$fresh" ] || systemctl daemon-reload
systemctl reset-failed
${provided.join("\n")}
true`;
}

/** The name of the cell that a step affects, if any. */
export function cellOf(step: object): string | undefined {
  return /\b([ct]\d|[uk]\d)\b/.exec(JSON.stringify(step))?.[1];
}
