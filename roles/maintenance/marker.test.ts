import { describe, expect, test } from "vitest";
import { absent, playbook } from "../../src/authoring.ts";
import { explain, simulate } from "../../src/testing/index.ts";
import { maintenanceMarker } from "../cluster/places.ts";
import { reasonsIn, sentence, withoutReason, withReason } from "./marker.ts";
import { maintenanceBegun, maintenanceEnded, maintenanceShown, noMaintenance } from "./tasks.ts";

const shutdown = { by: "harvester-shutdown", who: "me@laptop", since: "2026-01-01T00:00:00Z", why: "it is shut down" };
const removal = { ...shutdown, by: "harvester-remove-node", node: "harvester-3", why: "harvester-3 is being removed" };
const operator = { who: "me@laptop", since: "2026-02-02T00:00:00Z" };

describe("the marker", () => {
  test("keeps each reason until that reason is cleared, in any order", () => {
    const both = withReason(withReason(undefined, removal), shutdown);
    expect(reasonsIn(both)).toEqual([removal, shutdown]);
    const first = withoutReason(both, {});
    expect(first).toBe(withReason(undefined, removal));
    expect(withoutReason(first ?? "", removal)).toBeUndefined();
    expect(withoutReason(withoutReason(both, removal) ?? "", {})).toBeUndefined();
  });

  test("keeps its time when an interrupted run begins again", () => {
    const text = withReason(undefined, shutdown);
    expect(withReason(text, { ...shutdown, since: "2027-01-01T00:00:00Z", who: "you@desk" })).toBe(text);
  });

  test("names the playbook that set it most recently for a node", () => {
    const text = withReason(withReason(undefined, removal), { ...removal, by: "harvester-replace-node" });
    expect(reasonsIn(text).map(({ by }) => by)).toEqual(["harvester-replace-node"]);
  });

  test.each([
    ["the cluster is switched off\n", undefined],
    ["harvester-3 is being taken away\n", "harvester-3"],
  ])("is understood and cleared in the form that version 0.1 wrote (%j)", (text, node) => {
    expect(reasonsIn(text)).toMatchObject([{ ...(node !== undefined && { node }), why: text.trim() }]);
    expect(withoutReason(text, { node })).toBeUndefined();
    expect(withoutReason(text, { node: "harvester-1" })).toBe(text);
  });

  test.each(["", "\n", "new memory, do not start!\n", '{"by":"harvester-shutdown"}\n', '["x"]\n'])(
    "is never cleared by a playbook if a person set it (%j)",
    (text) => {
      expect(reasonsIn(text)).toMatchObject([{ by: "" }]);
      expect(withoutReason(text, {})).toBe(text);
      const added = withReason(text, shutdown);
      expect(reasonsIn(added).map(({ by }) => by)).toEqual(["", "harvester-shutdown"]);
      expect(reasonsIn(withoutReason(added, {}) ?? "")).toEqual(reasonsIn(text));
    },
  );

  test("is described: who set it, when and why, and how to clear it", () => {
    const clears = "; the watchdog does nothing until it is cleared: ";
    expect(sentence(shutdown)).toBe(
      "maintenance since 2026-01-01T00:00:00Z by me@laptop (harvester-shutdown), because it is shut down" +
        `${clears}npx furrow run playbooks/harvester-restart.ts`,
    );
    expect(sentence(removal)).toContain(`${clears}npx furrow run playbooks/harvester-remove-node.ts --var node=3`);
    expect(reasonsIn("").map(sentence)).toEqual([`maintenance, because set by hand${clears}rm ${maintenanceMarker}`]);
  });
});

describe("a marker into which a person has written arbitrary text", () => {
  const notesOf = (text: string): string => {
    const marker = { type: "file", text, changed: 0 };
    return explain(maintenanceShown({}), { marker }).notes.join("\n");
  };

  test("is not printed in full: only 200 characters of a line of 30 MB are shown", () => {
    const notes = notesOf(`${"x".repeat(30 * 2 ** 20)}\n`);
    expect(notes).toContain(`because ${"x".repeat(200)}… (31457280 characters); the watchdog`);
    expect(notes.length).toBeLessThan(500);
    expect(notesOf(`${"x".repeat(30 * 2 ** 20)} is being taken away\n`).length).toBeLessThan(600);
    const long = withReason(undefined, { ...shutdown, why: "y".repeat(10_000) });
    expect(notesOf(long).length).toBeLessThan(500);
  });

  test("is not printed in full: only ten of many lines are shown", () => {
    const notes = notesOf("new memory\n".repeat(100_000)).split("\n");
    expect(notes).toHaveLength(11);
    expect(notes.at(-1)).toBe(`99990 more reasons are in ${maintenanceMarker}`);
  });

  test("cannot control the terminal", () => {
    expect(notesOf("a\u001b[2Jb\rc\u202ed\n")).toContain(String.raw`because a\u001b[2Jb\u000dc\u202ed;`);
  });
});

describe("the tasks", () => {
  const of = (text: string) => ({ marker: { type: "file", text, changed: 1_767_225_600_000_000 }, operator });

  test("report a marker that a person set, with the file's modification time", () => {
    const since = "maintenance since 2026-01-01T00:00:00Z";
    expect(explain(maintenanceShown({}), of("")).notes.join()).toContain(`${since}, because set by hand`);
    expect(explain(maintenanceShown({}), { marker: absent }).notes).toEqual([]);
    const folder = { type: "directory", changed: 0 };
    expect(explain(maintenanceShown({}), { marker: folder }).notes.join()).toContain("exists");
  });

  test("refuse a deployment on a cluster that was shut down, and only report what a person set", () => {
    const { refusal } = explain(noMaintenance({}), of(withReason(undefined, shutdown)));
    expect(refusal).toMatchObject({
      message: "the cluster is under maintenance: it is shut down",
      current: "since 2026-01-01T00:00:00Z by me@laptop (harvester-shutdown)",
      hint: "Finish it first: npx furrow run playbooks/harvester-restart.ts",
    });
    expect(explain(noMaintenance({}), of("")).refusal).toBeUndefined();
    expect(explain(noMaintenance({}), of("")).notes).toHaveLength(1);
  });

  test("refuse a marker that they cannot read, rather than replace it", () => {
    const folder = { marker: { type: "directory" }, operator };
    expect(explain(maintenanceBegun({ by: "x", why: "y" }), folder).refusal?.code).toBe("marker-unreadable");
    expect(explain(maintenanceEnded({}), folder).refusal?.code).toBe("marker-unreadable");
  });

  test("do nothing the second time", async () => {
    const book = playbook({
      name: "maintenance alone",
      plays: [{ hosts: "all", become: true, tasks: () => [maintenanceBegun({ by: "a", why: "b" })] }],
    });
    const first = await simulate(book, { hosts: ["metal"] });
    const second = await simulate(book, { hosts: ["metal"], state: first.state });
    expect([first, second].map(({ tasks }) => tasks.map(({ outcome }) => outcome))).toEqual([["changed"], ["ok"]]);
  });
});
