import { describe, expect, test } from "vitest";
import { secretOf, setSealKey } from "../secrets/secret.ts";
import { absent, knownAfterApply } from "./symbols.ts";
import { isOutdated, seenAgain, seenOf } from "./pending-restart.ts";
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

describe("the state that a watched task sets", () => {
  test("contains the file that the task wants, not the directory that it also reads", () => {
    expect(watchedFacts([conf]).map((fact) => "key" in fact && fact.key)).toEqual(["/etc/a.conf", "/etc"]);
    expect(things(there).map(({ id }) => id)).toEqual(["file:/etc/a.conf"]);
  });
  test("does not depend on other known parts or on the time of the change", () => {
    const more = { ...there, changed: 5, text: "x", size: 1, seal: "sealed:bb" };
    expect(things(more)[0]?.parts).toEqual(things(there)[0]?.parts);
  });
  test("depends on content, mode and presence", () => {
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

describe("a process", () => {
  const noted = (value: unknown): typeof nothing => ({ ...nothing, seen: seenOf(things(value)) });

  test.each([
    { case: "is not outdated if the value equals the noted value", now: there, notes: noted(there), outdated: false },
    {
      case: "is outdated if the content differs from the noted content",
      now: { ...there, sha256: "bb" },
      notes: noted(there),
      outdated: true,
    },
    {
      case: "is not outdated if the file changed since its start but equals the noted file",
      now: { ...there, changed: since + 1 },
      notes: noted(there),
      outdated: false,
    },
    {
      case: "is outdated without a note if the file changed since its start",
      now: { ...there, changed: since + 1 },
      notes: nothing,
      outdated: true,
    },
    {
      case: "is not outdated without a note if the file changed before its start",
      now: there,
      notes: nothing,
      outdated: false,
    },
    {
      case: "is outdated without a note if the file is predicted to change",
      now: { ...there, changed: changedLater },
      notes: nothing,
      outdated: true,
    },
    { case: "is outdated if its start is unknown", now: there, notes: { ...nothing, since: 0 }, outdated: true },
    { case: "is outdated if a noted file was removed", now: absent, notes: noted(there), outdated: true },
    { case: "is outdated only once if a file without a note is missing", now: absent, notes: nothing, outdated: true },
    {
      case: "is not outdated if a file was already missing for the previous process",
      now: absent,
      notes: { ...nothing, earlier: seenOf(things(absent)) },
      outdated: false,
    },
  ])("$case", ({ now, notes, outdated }) => {
    expect(isOutdated(things(now), notes)).toBe(outdated);
  });

  test.each([
    { case: "is not outdated if a file was removed before its start", folder: { changed: 1 }, outdated: false },
    { case: "is outdated if a file was removed since its start", folder: { changed: since + 1 }, outdated: true },
    { case: "is outdated if a file is predicted to be removed", folder: knownAfterApply, outdated: true },
    { case: "is outdated only once if the folder is also missing", folder: absent, outdated: true },
  ])("$case", ({ folder, outdated }) => {
    const gone = file({ path: "/etc/a.conf", state: "absent" });
    expect(absenceFacts([gone], [absent]).map(factId)).toEqual(["entries:/etc"]);
    expect(absenceFacts([gone], [there])).toEqual([]);
    expect(isOutdated(watchedThings([gone], [absent], [folder]), nothing)).toBe(outdated);
  });

  describe("that reloads", () => {
    const asNoted = { seen: seenOf(things(there)), earlier: {}, since, noted: since + 5 };
    const edited = { ...there, changed: since + 6 };
    test("must reread a file that was changed and changed back, because it may have read the file in between", () => {
      expect(isOutdated(things(edited), asNoted)).toBe(true);
      expect(isOutdated(things(there), asNoted)).toBe(false);
      expect(isOutdated(things({ ...there, changed: changedLater }), asNoted)).toBe(true);
      expect(isOutdated(things(edited), { ...asNoted, noted: 0 })).toBe(false);
    });
    test("gets a note that differs from the previous one each time", () => {
      const first = seenAgain(things(edited), asNoted);
      expect(first).not.toEqual(asNoted.seen);
      const later = { ...asNoted, seen: first, noted: since + 9 };
      expect(isOutdated(things(edited), later)).toBe(false);
      expect(seenAgain(things({ ...there, changed: since + 10 }), later)).not.toEqual(first);
    });
  });

  describe("that watches a kernel parameter, which records no time of change", () => {
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
      {
        case: "is not outdated if the file existed before the start, because the boot has set the parameter",
        file: saved,
        outdated: false,
      },
      {
        case: "is outdated if the file changed after the start",
        file: { ...saved, changed: since + 1 },
        outdated: true,
      },
      { case: "is outdated if the file has another value", file: { ...saved, sha256: "00" }, outdated: true },
      {
        case: "is outdated if the file is predicted to change",
        file: { ...saved, changed: changedLater },
        outdated: true,
      },
    ])("$case", ({ file, outdated }) => {
      expect(judged("10", file)).toBe(outdated);
    });
    test("is outdated if nothing sets the parameter at boot", () => {
      const now = sysctl({ key: "vm.swappiness", value: 10, persist: false });
      const values = watchedFacts([now]).map((fact) => (factId(fact).startsWith("sysctl:") ? "10" : directory));
      expect(isOutdated(watchedThings([now], values), nothing)).toBe(true);
    });
  });

  test("is undecided if the watched content is unknown", () => {
    const open = things({ ...there, sha256: knownAfterApply });
    expect(() => isOutdated(open, noted(there))).toThrow(UnknownValue);
  });

  test("depends on its files' ctime if its notes contain a secret sealed with another controller's key", () => {
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
