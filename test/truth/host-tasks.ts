import {
  absent,
  canonical,
  type Fact,
  type FactPattern,
  file,
  type FileValue,
  refuse,
  run,
  type Step,
  task,
  z,
} from "../../src/authoring.ts";
import { folder } from "./things.ts";

/**
 * Tasks for tests with real facts and steps: cells are files with a line `v=NUMBER` and a line `w=WORD`. These tasks do
 * on a host what the toy tasks do on a simulated host.
 */
const cellFile = (name: string): ReturnType<typeof file<"text">> => file(`${folder}/${name}`, ["text"]);
const name = z.string();
const none = (): string[] => [];

interface Cell {
  readonly v: number;
  readonly w: string;
}

function read(now: FileValue<"text">): Cell {
  const text = now === absent ? "" : (now.text ?? "");
  return { v: Number(/^v=(\d+)$/m.exec(text)?.[1] ?? 0), w: /^w=(\w*)$/m.exec(text)?.[1] ?? "" };
}

const textOf = ({ v, w }: Cell): string => `v=${v}\nw=${w}\n`;
const changed = (now: FileValue<"text">, part: Partial<Cell>): { type: "file"; text: string } => ({
  type: "file",
  text: textOf({ ...read(now), ...part }),
});
const put = (to: string, now: FileValue<"text">, part: Partial<Cell>): Step => ({
  step: "writeFile",
  path: `${folder}/${to}`,
  text: changed(now, part).text,
});
const sh = (script: string): Step => ({ ...run`sh -c ${script}`, label: script.slice(0, 40) });

/** Wants a number to be at least a minimum. */
export const raise = task({
  name: "raise",
  summary: "Raise the number in a file",
  params: z.strictObject({ cell: name, min: z.number() }),
  examples: [],
})
  .facts((p) => ({ own: cellFile(p.cell) }))
  .want((p, { own }) =>
    own === absent
      ? refuse({ code: "absent", message: "nothing to raise" })
      : { own: read(own).v < p.min ? changed(own, { v: p.min }) : {} },
  )
  .steps((p, { now }) => [put(p.cell, now.own, { v: p.min })])
  .notes((p, { own }) => (own !== absent && read(own).v > p.min ? ["higher already"] : []));

/** Wants a file's number to be derived from a fact of any kind about another object. */
export const copy = task({
  name: "copy",
  summary: "Copy a number into a file",
  params: z.strictObject({ from: z.custom<Fact>(), fields: z.array(z.string()), to: name }),
  examples: [],
})
  .facts((p) => ({ from: p.from, to: cellFile(p.to) }))
  .want(({ fields }, { from, to }) =>
    from === absent
      ? refuse({ code: "absent", message: "nothing to copy" })
      : { to: changed(to, { v: digit(from, fields) }) },
  )
  .steps((p, { now }) => [put(p.to, now.to, { v: digit(now.from, p.fields) })]);

/** A digit derived from some fields of a value. */
function digit(value: unknown, fields: readonly string[]): number {
  const parts = fields.map((field) => (value as Record<string, unknown>)[field] ?? "");
  let sum = 0;
  for (const character of canonical(parts)) sum += character.codePointAt(0) ?? 0;
  return sum % 10;
}

/** Wants the file that another file points to, so its facts are read in two stages. */
export const follow = task({
  name: "follow",
  summary: "Follow a pointer",
  params: z.strictObject({ cell: name, v: z.number() }),
  examples: [],
})
  .facts((p) => ({ pointer: cellFile(p.cell) }))
  .facts((_p, { pointer }) => ({ target: cellFile(pointed(pointer)) }))
  .want((p, { target }) => ({ target: changed(target, { v: p.v }) }))
  .steps((p, { now }) => [put(pointed(now.pointer), now.target, { v: p.v })]);

const pointed = (now: FileValue<"text">): string => `t${now === absent ? 9 : read(now).v % 3}`;

const effect = z.strictObject({ cell: name, v: z.number(), script: z.string(), patterns: z.array(z.string()) });
const patterns = (p: { readonly patterns: readonly FactPattern[] }): readonly FactPattern[] => p.patterns;

/**
 * Behaves like a package: its script may create another object if that object is absent, and the task declares this.
 */
export const provide = task({
  name: "provide",
  summary: "Install, and provide",
  params: effect,
  examples: [],
  mayProvide: patterns,
  disturbs: none,
})
  .facts((p) => ({ own: cellFile(p.cell) }))
  .want((_p, { own }) => ({ own: changed(own, { v: 1 }) }))
  .steps((p, { now }) => [put(p.cell, now.own, { v: 1 }), sh(p.script)]);

/** Changes another object, and declares the change. */
export const disturb = task({
  name: "disturb",
  summary: "Disturb another object",
  params: effect,
  examples: [],
  disturbs: patterns,
})
  .facts((p) => ({ own: cellFile(p.cell) }))
  .want((p, { own }) => ({ own: changed(own, { v: p.v }) }))
  .steps((p, { now }) => [put(p.cell, now.own, { v: p.v }), sh(p.script)]);

/** Changes another object without declaring the change. */
export const wreak = task({
  name: "wreak",
  summary: "Disturb another object and declare nothing",
  params: effect.omit({ patterns: true }),
  examples: [],
})
  .facts((p) => ({ own: cellFile(p.cell) }))
  .want((p, { own }) => ({ own: changed(own, { w: `w${p.v}` }) }))
  .steps((p, { now }) => [put(p.cell, now.own, { w: `w${p.v}` }), sh(p.script)]);

/** Claims to create an object, but does not. */
export const lie = task({
  name: "lie",
  summary: "Do nothing",
  params: z.strictObject({ cell: name }),
  examples: [],
  disturbs: none,
})
  .facts((p) => ({ own: cellFile(p.cell) }))
  .want((_p, { own }) => ({ own: changed(own, { w: "risky" }) }))
  .steps(() => [run`true`]);
