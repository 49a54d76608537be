import { describe, expect, test } from "vitest";
import { z } from "zod";
import { FurrowError } from "../../core/errors.ts";
import { block } from "../../core/authoring/group.ts";
import type { Play } from "../../core/authoring/playbook.ts";
import { composite } from "../../core/authoring/role.ts";
import { debianFacts as facts } from "../../../test/engine/debian-facts.ts";
import { runPlays } from "../../../test/engine/runs.ts";
import { risky, say, set } from "../../../test/engine/toy-tasks.ts";

const put = (cell: string, v = 1) => set({ cell, v }, { name: cell });
const all = (over: Partial<Play<never>>): Play<never> => ({ hosts: "all", tasks: () => [], ...over });

describe("tags and --start-at", () => {
  const plays = [
    all({ tasks: () => [put("one"), set({ cell: "two", v: 1 }, { name: "two", tags: ["x"] })] }),
    all({ tags: ["x"], tasks: () => [put("three"), put("four")] }),
  ];
  test("leave out unselected tasks in each play", async () => {
    const request = { selection: { tags: ["x"], skipTags: [] } };
    expect((await runPlays(plays, { request })).ends).toEqual(["a two changed", "a three changed", "a four changed"]);
  });
  test("mark the plays in which no host has a task left, so that a report does not show them", async () => {
    const request = { selection: { tags: ["x"], skipTags: [] } };
    const { events } = await runPlays([all({ serial: 1, tasks: () => [put("other")] }), ...plays], { request });
    const begun = events.filter((event) => event.type === "playStarted");
    expect(begun.map(({ empty }) => empty)).toEqual([true, undefined, undefined]);
  });
  test("start in the middle of a later play", async () => {
    expect((await runPlays(plays, { request: { startAt: "th*" } })).ends).toEqual([
      "a three changed",
      "a four changed",
    ]);
  });
  test("start at a title as reports print it, with its groups", async () => {
    const grouped = [all({ tasks: () => [put("one"), block("app", [put("mark ready")])] })];
    for (const startAt of ["app › mark ready", "app › *", "mark ready"]) {
      expect((await runPlays(grouped, { request: { startAt } })).ends).toEqual(["a mark ready changed"]);
    }
  });
  test("report the tags of all planned tasks, including those left out", async () => {
    const seen = new Set<string>();
    const tagsSeen = (tags: readonly string[]): void => tags.forEach((tag) => seen.add(tag));
    await runPlays([...plays, all({ tasks: () => [set({ cell: "n", v: 1 }, { tags: ["other"] })] })], {
      request: { selection: { tags: ["x"], skipTags: [] }, tagsSeen },
    });
    expect([...seen].toSorted()).toEqual(["other", "x"]);
  });
  test("are refused at the end of the run if the tasks depend on facts and none is selected", async () => {
    const late = [all({ tasks: ({ facts }) => [facts.os.id !== "" && put("late")] })];
    const selection = { tags: ["typo"], skipTags: [] };
    const seen: boolean[] = [];
    const request = {
      selection,
      tagsSeen: (...[, , , isAnySelected]: readonly [unknown, unknown, unknown, boolean]) => seen.push(isAnySelected),
      requireSelected: () => {
        if (!seen.includes(true)) throw new FurrowError("E_USAGE", { what: "--tags typo selects no task" });
      },
    };
    await expect(runPlays(late, { facts, request })).rejects.toThrow("--tags typo selects no task");
    expect(seen).toEqual([false]);
  });
  test("are refused if no task has the given name", async () => {
    await expect(runPlays(plays, { request: { startAt: "nine" } })).rejects.toThrow('no task is named "nine"');
  });
  test("are refused with a list of the tasks that depend on facts if none of them has the given name", async () => {
    const late = [all({ tasks: ({ facts }) => [facts.os.id !== "" && put("late"), put("last")] })];
    await expect(runPlays(late, { facts, request: { startAt: "lte" } })).rejects.toMatchObject({
      failure: { expected: 'one of "late", "last"', hint: 'Write --start-at "late"' },
    });
  });
  test("are not reported as wrong if the tasks of a host cannot be planned", async () => {
    const late = [
      all({
        tasks: ({ facts }) => {
          if (facts.os.id !== "") throw new FurrowError("E_PARAMS", { what: "wrong" });
          return [put("late")];
        },
      }),
    ];
    const { result } = await runPlays(late, { facts, request: { startAt: "late" } });
    expect(result.errors.map(({ code }) => code)).toEqual(["E_PARAMS"]);
  });
});

describe("a rescue", () => {
  const wrong = risky({ cell: "a", way: "fails", times: 0 }, { tags: ["x"] });
  const plays = (tags: readonly string[]) => [
    all({ tasks: () => [block("try", [wrong], { rescue: [set({ cell: "fixed", v: 1 }, { name: "fix", tags })] })] }),
  ];
  const request = { selection: { tags: ["x"], skipTags: [] } };
  test("catches failures if the tags select it", async () => {
    const { ends, result } = await runPlays(plays(["x"]), { request });
    expect(ends.at(-1)).toBe("a fix changed");
    expect(result.failed).toEqual([]);
  });
  test("catches nothing if the tags leave it out", async () => {
    const { ends, result } = await runPlays(plays(["y"]), { request });
    expect(ends).toHaveLength(1);
    expect(result.failed).toEqual(["a"]);
  });
});

describe("a composite whose params are another task's output", () => {
  const pair = composite(
    { name: "pair", summary: "Set two", params: z.strictObject({ cell: z.string() }), examples: [] },
    ({ cell }) => [put(`${cell}1`), put(`${cell}2`)],
  );
  const plays = [
    all({
      tasks: () => {
        const said = say({ text: "x", about: "c" }, { name: "said", tags: ["x"] });
        return [said, pair({ cell: said.output }, { tags: ["x"] }), pair({ cell: said.output }, { tags: ["y"] })];
      },
    }),
  ];
  test("runs when its params are known", async () => {
    const { ends } = await runPlays(plays);
    expect(ends.map((end) => end.split(" ").slice(1).join(" "))).toEqual([
      "said changed",
      "x1 changed",
      "x2 changed",
      "x1 ok",
      "x2 ok",
    ]);
  });
  test("is left out by its tags, like any task", async () => {
    const request = { selection: { tags: ["x"], skipTags: [] } };
    expect((await runPlays(plays, { request })).ends).toEqual(["a said changed", "a x1 changed", "a x2 changed"]);
    const skip = { selection: { tags: [], skipTags: ["x", "y"] } };
    expect((await runPlays(plays, { request: skip })).ends).toEqual([]);
  });
  test("does not run if it is before --start-at", async () => {
    const late = [all({ tasks: () => [...plays[0]!.tasks({} as never).slice(0, 2), put("last")] })];
    expect((await runPlays(late, { request: { startAt: "last" } })).ends).toEqual(["a last changed"]);
  });
});
