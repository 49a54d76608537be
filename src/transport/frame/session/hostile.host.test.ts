import { describe, expect, test } from "vitest";
import { covered } from "../../../../test/covered.ts";
import { isFurrowError } from "../../../core/errors.ts";
import type { FrameItem, ItemResult } from "../../../core/host/frame.ts";
import { ask, defineKind } from "../../../core/facts/kind.ts";
import { type Behaviour, HostileLink } from "../fixtures/hostile-link.fixture.ts";
import { openFrameSession } from "./session.ts";

const kind = defineKind<{ v: string | undefined }>({
  name: "told-by-a-hostile-host",
  summary: "What a hostile host claims to be",
  facets: {},
  read: () => ":",
  parse: ({ v }) => ({ v }),
});
const read = (key: string): FrameItem => ({ item: "read", questions: [ask(kind, key)] });
const step = (task: string): FrameItem => ({
  item: "steps",
  task,
  steps: [{ step: "run", argv: ["true"], timeoutSeconds: 1 }],
});
const items = [read("a"), step("one"), read("b"), step("two")];
const truth: readonly ItemResult[] = [
  { item: "read", answers: [{ value: { v: "a" } }] },
  { item: "steps", results: [{ exitCode: 0, stdout: "hi\n", stderr: "" }] },
  { item: "read", answers: [{ value: { v: "b" } }] },
  { item: "steps", results: [{ exitCode: 0, stdout: "", stderr: "" }] },
];

/** The records of an honest host. `N` stands for the nonce. */
const honest = [
  "N H boot-1  7\n",
  "N J 0\n",
  "N B 1 2\n",
  "N R 0\n0 v=a\n\nN r 0\n",
  "N T 1\n",
  "N V 1 0 o 0 3\nhi\n",
  "N O 1 0 o 0 3\nhi\n",
  "N S 1 0 0\n",
  "N R 2\n1 v=b\n\nN r 2\n",
  "N T 3\n",
  "N S 3 0 0\n",
  "N X\n",
] as const;

type Change = (records: readonly string[], at: number) => readonly (string | Buffer | number)[];
const replaced =
  (change: (record: string) => string | Buffer): Change =>
  (records, at) =>
    records.map((record, index) => (index === at ? change(record) : record));
/** Replaces the numbers in a record's first line. */
const numbered = (number: string): Change => replaced((record) => record.replaceAll(/ \d+(?=\n| )/g, ` ${number}`));

const changes: Record<string, Change> = {
  "with a wrong nonce": replaced((record) => record.replaceAll("N ", "f0123456789abcdef01234567 ")),
  twice: (records, at) => records.flatMap((record, index) => (index === at ? [record, record] : [record])),
  "left out": (records, at) => records.filter((_, index) => index !== at),
  "before its predecessor": (records, at) =>
    records.map((record, index) => (index === at ? records[at - 1] : index === at - 1 ? records[at] : record) ?? ""),
  "with a length or index of 99999999999": numbered("99999999999"),
  "with a negative number": numbered("-1"),
  "with NaN": numbered("NaN"),
  "with no number": numbered(""),
  "with a number of 4000 digits": numbered("9".repeat(4000)),
  "of the next item": replaced((record) =>
    record.replace(/^(N [A-Z]) (\d)/, (_, head, item) => `${head} ${Number(item) + 1}`),
  ),
  "of a step that was not sent": replaced((record) => record.replace(/^(N [SOV] \d) 0/, "$1 7")),
  "with bytes that are not UTF-8": replaced((record) =>
    Buffer.concat([Buffer.from([0xff, 0xfe, 0x80]), Buffer.from(record)]),
  ),
  "with NUL in front": replaced((record) => `\0\0${record}`),
  "with CR": replaced((record) => record.replaceAll("\n", "\r\n")),
  "between escape sequences": replaced((record) => `\u001b[2J\u001b]0;x\u0007${record}\u202e\u2066\u200b\u2028`),
  "within another answer": replaced((record) => `N R 0\n${record}`),
  "after a forged question": replaced((record) => `N Q never boot-1 1\nN F\nN N\n${record}`),
  "after a claim that the host is held": replaced((record) => `N K held r0 mallory@\u001b[31m 2026\n${record}`),
  "after a thousand runs that were cut off": replaced((record) => `${"N P run began a task\n".repeat(1000)}${record}`),
  "after a slow start": (records, at) => records.flatMap((record, index) => (index === at ? [300, record] : [record])),
};

interface Case {
  readonly name: string;
  readonly behaviour: Behaviour;
}
const whole = (parts: readonly (string | Buffer | number)[], ends: Behaviour["ends"]): Behaviour => ({
  ends,
  says: (nonce) =>
    parts.map((part) =>
      typeof part === "number"
        ? part
        : Buffer.from(
            Buffer.from(part)
              .toString("latin1")
              .replaceAll(/\bN (?=[A-Za-z] |[A-Z]\n|[A-Za-z]\n)/g, `${nonce} `),
            "latin1",
          ),
    ),
});
const nameOf = (record: string): string => `${record.slice(2, 8).trim().replaceAll(/\s/g, " ")}…`;

const table: Case[] = [
  ...Object.entries(changes).flatMap(([what, change]) =>
    honest.map((record, at) => ({
      name: `${nameOf(record)} ${what}`,
      behaviour: whole(change(honest, at), at % 2 === 0 ? "silence" : "end"),
    })),
  ),
  // Answers that are cut off after each possible number of bytes, followed by the end of the shell or by silence.
  ...Array.from({ length: honest.join("").length }, (_, at) => ({
    name: `cut off after ${at} bytes`,
    behaviour: whole([honest.join("").slice(0, at)], at % 3 === 0 ? "silence" : "end"),
  })),
  ...(["silence", "end", "prompts"] as const).map((banner) => ({
    name: `a banner: ${banner}`,
    behaviour: { ...whole(honest, "silence"), banner },
  })),
  ...(["silence", "idle", "runs", "flood", "end"] as const).map((beside) => ({
    name: `half-open, with a second shell: ${beside}`,
    behaviour: { ...whole(honest.slice(0, 5), "silence"), beside },
  })),
];

/** Hosts that never stop sending. Each runs alone, so that its memory use can be measured. */
const floods: Record<string, Behaviour> = {
  "an endless line": { ...whole(honest.slice(0, 3), { flood: () => "x" }) },
  "empty lines": { ...whole(honest.slice(0, 3), { flood: () => "\n" }) },
  "endless noise in lines": { ...whole(honest.slice(0, 3), { flood: () => "noise\n" }) },
  "an endless answer": {
    ...whole([...honest.slice(0, 3), "N R 0\n"], { flood: () => "0 v=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n" }),
  },
  "an endless answer of one line": { ...whole([...honest.slice(0, 3), "N R 0\n0 v="], { flood: () => "a" }) },
  "endless timestamps": { ...whole(honest.slice(0, 3), { flood: (nonce) => `${nonce} M 0 1.0 7\n` }) },
  "endless claims": { ...whole(honest.slice(0, 3), { flood: (nonce) => `${nonce} P r began t\n` }) },
  "endless output of a step": { ...whole(honest.slice(0, 5), { flood: (nonce) => `${nonce} V 1 0 o 0 3\nhi\n` }) },
  "an endless banner": { ...whole(honest, "silence"), banner: "flood" },
};

interface Ended {
  readonly name: string;
  readonly ms: number;
  readonly results: readonly ItemResult[] | undefined;
  readonly error: unknown;
}

async function meet({ name, behaviour }: Case, host: string): Promise<Ended> {
  const began = performance.now();
  const { signal } = new AbortController();
  const link = (): HostileLink => new HostileLink(behaviour);
  let results: readonly ItemResult[] | undefined;
  let error: unknown;
  try {
    const session = await openFrameSession({
      host,
      link: link(),
      relink: () => Promise.resolve(link()),
      reconnectSeconds: 1,
      stallSeconds: 0.5,
      user: "root",
      become: undefined,
      signal,
    });
    try {
      results = await session.frame({ items }, { output: () => {}, notice: () => {} }, signal);
    } finally {
      await session.close();
    }
  } catch (caught) {
    error = caught;
  }
  return { name, ms: performance.now() - began, results, error };
}

/** What went wrong in a case; undefined if it ended correctly. */
function fault({ name, ms, results, error }: Ended, host: string): string | undefined {
  const of = (what: string): string => `${name}: ${what}`;
  if (ms > 30_000) return of(`took ${ms} ms`);
  if (results !== undefined) {
    const told = results.map((result) =>
      result.item === "steps"
        ? (result.failed?.error.code ?? result.results.map(({ exitCode }) => exitCode))
        : result.item,
    );
    const right = truth.map((result) => (result.item === "steps" ? [0] : result.item));
    return JSON.stringify(told) === JSON.stringify(right)
      ? undefined
      : of(`accepted a forged result: ${JSON.stringify(told)}`);
  }
  if (!isFurrowError(error)) return of(`an error without code: ${String(error)}`);
  if (error.code === "E_BUG") return of(`E_BUG: ${error.message}`);
  return error.failure.where?.host === host ? undefined : of(`${error.code} names no host: ${error.message}`);
}

async function inParallel(cases: readonly Case[], at: number, host: string): Promise<Ended[]> {
  const queue = [...cases];
  const ended: Ended[] = [];
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) ended.push(await meet(next, host));
  };
  await Promise.all(Array.from({ length: at }, work));
  return ended;
}

describe("a host", () => {
  test("gives the right result if it is honest", async () => {
    const { results } = await meet({ name: "honest", behaviour: whole(honest, "silence") }, "honest-1");
    expect(results).toEqual(truth);
  });

  test("that forges, repeats or truncates answers leads to the right result, or to an error that names the host", async () => {
    const ended = await inParallel(table, 60, "hostile-1");
    expect(ended.map((end) => fault(end, "hostile-1")).filter(Boolean)).toEqual([]);
    const failed = ended.filter(({ error }) => error !== undefined).length;
    expect(failed).toBeGreaterThan(200);
    const slowest = Math.max(...ended.map(({ ms }) => ms));
    covered(`${table.length} hostile answers: ${failed} refused, slowest ${(slowest / 1000).toFixed(1)} s`);
  }, 600_000);
});

test("ends the session with a flooding host within the limits of time and memory, without affecting another host", async () => {
  const base = process.memoryUsage().rss;
  let most = 0;
  const timer = setInterval(() => (most = Math.max(most, process.memoryUsage().rss - base)), 20);
  try {
    for (const [name, behaviour] of Object.entries(floods)) {
      const flood = meet({ name, behaviour }, "flood-1");
      const beside = await meet({ name: "honest", behaviour: whole(honest, "silence") }, "honest-1");
      expect(beside.results, name).toEqual(truth);
      const ended = await flood;
      expect(ended.results, name).toBeUndefined();
      expect(fault(ended, "flood-1")).toBeUndefined();
    }
  } finally {
    clearInterval(timer);
  }
  expect(most).toBeLessThan(300 * 1024 * 1024);
  covered(`${Object.keys(floods).length} floods by a hostile host, ${Math.round(most / 1e6)} MB at most`);
}, 600_000);
