import { describe, expect, test } from "vitest";
import { secretOf, setSealKey } from "../secrets/secret.ts";
import { absent, knownAfterApply } from "./symbols.ts";
import { isOutdated, seenOf } from "./pending-restart.ts";
import { factId } from "./fact.ts";
import { absenceFacts, changedLater, watchedFacts, watchedThings } from "./watched.ts";
import { UnknownValue } from "./compare.ts";
import { file } from "../../../tasks/file/file.ts";
import { sysctl } from "../../../tasks/sysctl/sysctl.ts";

const conf = file({ path: "/etc/a.conf", content: "x", mode: "0644" });
const directory = { type: "directory", mode: "0755", owner: "root", group: "root" };
const there = { type: "file", mode: "0644", owner: "root", group: "root", sha256: "aa", changed: 1_000_000_000 };
const things = (value: unknown): ReturnType<typeof watchedThings> => watchedThings([conf], [value, directory]);
const since = 2_000_000_000;
const nothing = { seen: {}, earlier: {}, since };

describe("what a watched task sets", () => {
  test("is what its want names: the file, not the directory that it also reads", () => {
    expect(watchedFacts([conf]).map((fact) => "key" in fact && fact.key)).toEqual(["/etc/a.conf", "/etc"]);
    expect(things(there).map(({ id }) => id)).toEqual(["file:/etc/a.conf"]);
  });
  test("does not depend on other known parts, nor on the time of the change", () => {
    const more = { ...there, changed: 5, text: "x", size: 1, seal: "sealed:bb" };
    expect(things(more)[0]?.parts).toEqual(things(there)[0]?.parts);
  });
  test("differs with content, mode and presence", () => {
    const digests = [there, { ...there, sha256: "bb" }, { ...there, mode: "0600" }, absent].map((value) =>
      JSON.stringify(things(value)[0]?.parts),
    );
    expect(new Set(digests).size).toBe(4);
  });
  test("leaves out unknown parts of a prediction that the task does not want", () => {
    const predicted = things({ ...there, group: knownAfterApply, changed: changedLater })[0];
    expect(predicted).toMatchObject({ open: false, changed: changedLater });
    expect(predicted?.parts).not.toHaveProperty("group");
  });
});

describe("a process is outdated", () => {
  const noted = (value: unknown): typeof nothing => ({ ...nothing, seen: seenOf(things(value)) });

  test.each([
    { case: "not if the value is as noted for it", now: there, witness: noted(there), outdated: false },
    { case: "if the content is not as noted", now: { ...there, sha256: "bb" }, witness: noted(there), outdated: true },
    {
      case: "not by a later change of the inode alone",
      now: { ...there, changed: since + 1 },
      witness: noted(there),
      outdated: false,
    },
    {
      case: "without a note, by a change after its start",
      now: { ...there, changed: since + 1 },
      witness: nothing,
      outdated: true,
    },
    { case: "without a note, not by a change before its start", now: there, witness: nothing, outdated: false },
    {
      case: "without a note, by a predicted change",
      now: { ...there, changed: changedLater },
      witness: nothing,
      outdated: true,
    },
    { case: "if its start is unknown", now: there, witness: { ...nothing, since: 0 }, outdated: true },
    { case: "by a file that was removed since the note", now: absent, witness: noted(there), outdated: true },
    { case: "once by a missing file without a note", now: absent, witness: nothing, outdated: true },
    {
      case: "not by a missing file that was already missing for the previous process",
      now: absent,
      witness: { ...nothing, earlier: seenOf(things(absent)) },
      outdated: false,
    },
  ])("$case", ({ now, witness, outdated }) => {
    expect(isOutdated(things(now), witness)).toBe(outdated);
  });

  test.each([
    { case: "not by a file removed before its start", folder: { changed: 1 }, outdated: false },
    { case: "by a file removed after its start", folder: { changed: since + 1 }, outdated: true },
    { case: "by a file whose removal is predicted", folder: knownAfterApply, outdated: true },
    { case: "once if the folder is missing, too", folder: absent, outdated: true },
  ])("$case", ({ folder, outdated }) => {
    const gone = file({ path: "/etc/a.conf", state: "absent" });
    expect(absenceFacts([gone], [absent]).map(factId)).toEqual(["entries:/etc"]);
    expect(absenceFacts([gone], [there])).toEqual([]);
    expect(isOutdated(watchedThings([gone], [absent], [folder]), nothing)).toBe(outdated);
  });

  describe("by a kernel parameter, which has no date", () => {
    const swappiness = sysctl({ key: "vm.swappiness", value: 10 });
    // SHA-256 of "vm/swappiness = 10\n".
    const sha256 = "45b403db9f607317414076322b73d93e705bdee4e39e37dea99149728125042b";
    const saved = { ...there, sha256 };
    const judged = (running: string, file: unknown, over: object = {}): boolean => {
      const facts = watchedFacts([swappiness]).map(factId);
      const later = { "laterSysctl:vm/swappiness": absent };
      const value: Record<string, unknown> = { "sysctl:vm/swappiness": running, [facts[1] ?? ""]: file, ...later };
      const values = facts.map((id) => value[id] ?? directory);
      return isOutdated(watchedThings([swappiness], values), { ...nothing, ...over });
    };
    test.each([
      { case: "not if its file existed before the start: the boot has set it", file: saved, outdated: false },
      { case: "if its file is newer than the start", file: { ...saved, changed: since + 1 }, outdated: true },
      { case: "if its file has another value", file: { ...saved, sha256: "00" }, outdated: true },
      { case: "if a change of its file is predicted", file: { ...saved, changed: changedLater }, outdated: true },
    ])("$case", ({ file, outdated }) => {
      expect(judged("10", file)).toBe(outdated);
    });
    test("if nothing sets it at boot", () => {
      const now = sysctl({ key: "vm.swappiness", value: 10, persist: false });
      const values = watchedFacts([now]).map((fact) => (factId(fact).startsWith("sysctl:") ? "10" : directory));
      expect(isOutdated(watchedThings([now], values), nothing)).toBe(true);
    });
  });

  test("is unknown if the watched content is unknown", () => {
    const open = things({ ...there, sha256: knownAfterApply });
    expect(() => isOutdated(open, noted(there))).toThrow(UnknownValue);
  });

  test("is decided by ctime if a secret was noted under the key of another controller", () => {
    const secret = file({ path: "/etc/s", content: `${secretOf("hunter2", "password")}` });
    const sealed = { ...there, sha256: undefined, seal: "sealed:aa" };
    setSealKey("0".repeat(32));
    const seen = seenOf(watchedThings([secret], [sealed, directory]));
    expect(JSON.stringify(seen)).toContain(":");
    setSealKey("1".repeat(32));
    const now = watchedThings([secret], [{ ...sealed, seal: "sealed:bb" }, directory]);
    expect(isOutdated(now, { ...nothing, seen })).toBe(false);
    expect(isOutdated(now, { ...nothing, seen, since: 0 })).toBe(true);
  });
});
