import { expect, test } from "vitest";
import { knownSecrets, secretOf } from "../core/secrets/secret.ts";
import { recordedRun } from "../../test/report/recorded-run.ts";
import { jsonReport } from "./json.ts";
import { plainReport } from "./plain.ts";
import { redacted } from "./redacted.ts";
import type { RunEvent } from "../core/events.ts";

const recorded = (["check", "apply"] as const)
  .flatMap((mode) => recordedRun(mode))
  .toSpliced(2, 0, { type: "warning", host: "web1", text: "reconnecting", connection: "lost" });

/** Every field name of the events, every word that furrow itself puts into them, and the names of their hosts. */
function words(value: unknown): string[] {
  if (typeof value === "string") return /^[\w-]{4,}$/.test(value) ? [value] : [];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) => [name, ...words(part)]);
}

function shown(events: readonly RunEvent[]): { readonly json: Record<string, unknown>[]; readonly plain: string } {
  let [json, plain] = ["", ""];
  const options = { color: false, diff: true, verbose: true, fold: true, folder: "/" };
  const reports = [
    redacted(jsonReport((text) => void (json += text))),
    redacted(plainReport({ ...options, write: (text) => void (plain += text) })),
  ];
  for (const event of events) for (const report of reports) report.handle(event);
  const lines = json.trimEnd().split("\n");
  return { json: lines.map((line) => JSON.parse(line) as Record<string, unknown>), plain };
}

const own = ["type", "host", "hosts", "outcome", "mode", "stream", "connection", "durationMs"];

test("a secret that equals one of furrow's own words changes neither events nor totals", () => {
  const before = shown(recorded);
  for (const word of new Set([...words(recorded), "changed", "failed", "true", "lost"])) secretOf(word, "PW");
  secretOf("80443", "PORT");
  expect(knownSecrets().length).toBeGreaterThan(50);
  const after = shown(recorded);
  const fields = (line: Record<string, unknown>): unknown => [
    Object.keys(line).toSorted(),
    own.map((name) => line[name]),
    (line["recap"] as { host: string; counts: object; end: string }[] | undefined)?.map(({ host, counts, end }) => [
      host,
      counts,
      end,
    ]),
    (line["error"] as { code?: string } | undefined)?.code,
  ];
  expect(after.json.map(fields)).toEqual(before.json.map(fields));
  expect(after.json.map((line) => line["task"] !== undefined)).toEqual(
    before.json.map((line) => line["task"] !== undefined),
  );
  const totals = (text: string): string[] =>
    text.split("\n").filter((line) => /^(recap$|\d+ (would )?change)/.test(line));
  // Titles can contain anything, so they are redacted.
  expect(totals(after.plain.replaceAll("«secret PW»", "package"))).toEqual(totals(before.plain));
  expect(after.plain).not.toContain("NaN");
});

test("a secret that consists of digits is hidden even where it appears as a number", () => {
  secretOf("80443", "PORT");
  const task = { id: "1", module: "file", title: "file /etc/a", path: [] };
  const differences = [{ path: "size", from: 80_443, to: { port: 80_443n } }];
  const { json, plain } = shown([
    {
      type: "taskFinished",
      host: "web1",
      task,
      outcome: "changed",
      changes: [{ fact: "file:/etc/a", differences, secret: false }],
      notes: [],
      ignored: false,
      durationMs: 80_443,
    },
  ]);
  expect(JSON.stringify(json[0]?.["changes"])).not.toContain("80443");
  expect(plain).not.toContain("80443");
});

test("an error in a report does not make a task fail: it is thrown when the run has ended", async () => {
  const handled: string[] = [];
  const report = redacted({
    handle: ({ type }) => {
      handled.push(type);
      if (type === "taskFinished") throw new TypeError("paint is not a function");
    },
    close: () => Promise.resolve(),
  });
  for (const event of recorded) report.handle(event);
  expect(handled.length).toBeGreaterThanOrEqual(recorded.length);
  await expect(report.close()).rejects.toThrow("paint is not a function");
});
