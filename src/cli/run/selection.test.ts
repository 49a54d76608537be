import { describe, expect, test } from "vitest";
import { playbook } from "../../core/authoring/playbook.ts";
import type { Play } from "../../core/authoring/playbook.ts";
import type { RunRequest } from "../../engine/plan/request.ts";
import { set } from "../../../test/engine/toy-tasks.ts";
import { planAll } from "./plans.ts";
import { checkSelection, SeenTags } from "./selection.ts";

const plays = [{ hosts: "all", tasks: () => [set({ cell: "one", v: 1 }, { name: "one", tags: ["known"] })] }];

function request(tags: readonly string[], skipTags: readonly string[] = [], isLimited = false): RunRequest {
  const host = { name: "a", address: "a", groups: [], vars: {} };
  const selection = { tags, skipTags };
  return {
    playbook: playbook({ name: "p", plays }),
    mode: "check",
    hostsOf: () => [host],
    varsOf: () => ({}),
    isLimited,
    selection,
  } as unknown as RunRequest;
}

describe("a tag that no task has", () => {
  test.each([
    [["known", "typo"], [], '"typo" in --tags matches no task'],
    [[], ["typo"], '"typo" in --skip-tags matches no task'],
    [["typo"], [], "--tags typo selects no task"],
  ])("is refused before a connection: --tags %s --skip-tags %s", (tags, skipTags, what) => {
    const wanted = request(tags, skipTags);
    expect(() => checkSelection(wanted, planAll(wanted))).toThrow(what);
  });

  test.each([
    {
      tags: ["known", "knwon", "xyzzy"],
      skipTags: ["konwn"],
      what: '"knwon" and "xyzzy" in --tags, and "konwn" in --skip-tags match no task',
      hint: "Write --tags known instead of knwon, and --skip-tags known instead of konwn",
    },
    {
      tags: ["known"],
      skipTags: ["konwn", "xyzzy"],
      what: '"konwn" and "xyzzy" in --skip-tags match no task',
      hint: "Write --skip-tags known instead of konwn",
    },
    {
      tags: ["known", "xyzzy"],
      skipTags: [],
      what: '"xyzzy" in --tags matches no task',
      hint: "Run furrow list to see the tags of all tasks",
    },
    {
      tags: ["knwon"],
      skipTags: ["konwn"],
      what: "--tags knwon selects no task",
      hint: "Write --tags known instead of knwon, and --skip-tags known instead of konwn",
    },
  ])(
    "is named with its flag and the nearest tag: --tags $tags --skip-tags $skipTags",
    ({ tags, skipTags, what, hint }) => {
      const wanted = request(tags, skipTags);
      const failure = { what, hint, expected: "one of known" };
      expect(() => checkSelection(wanted, planAll(wanted))).toThrow(expect.objectContaining({ failure }));
    },
  );

  test("is accepted with --limit, which may leave out the tasks that have the tag", () => {
    const wanted = request(["known", "other"], [], true);
    expect(() => checkSelection(wanted, planAll(wanted))).not.toThrow();
  });

  test("is named at the end of a run whose tasks were known only after connecting", () => {
    const seen = new SeenTags();
    const [play] = plays as never[] as Play<never>[];
    if (play === undefined) throw new TypeError("no play");
    seen.add(["known"], play, "a", true);
    const late = [{ play, name: "p", hosts: [{ host: "a", plan: "facts-needed" as const }] }];
    expect(seen.notice(request(["known", "typo"], ["all", "never"]), late)).toBe(
      "no task on these hosts has the tag: --tags typo; the tags are known",
    );
    expect(seen.notice(request(["known", "tagged"]), late)).toBeUndefined();
    const failed = [{ play, name: "p", hosts: ["a", "b"].map((host) => ({ host, plan: "facts-needed" as const })) }];
    expect(seen.notice(request(["typo"]), failed)).toBeUndefined();
  });

  describe("a selection without tasks, if tasks are known only after connecting", () => {
    const [play] = plays as never[] as Play<never>[];
    if (play === undefined) throw new TypeError("no play");
    const late = [{ play, name: "p", hosts: ["a", "b"].map((host) => ({ host, plan: "facts-needed" as const })) }];
    const planned = (...selected: readonly boolean[]): SeenTags => {
      const seen = new SeenTags();
      selected.forEach((isSelected, index) => seen.add(["conf"], play, ["a", "b"][index] ?? "", isSelected));
      return seen;
    };

    test("is refused like a tag that is known to be wrong before connecting", () => {
      const failure = {
        what: "--tags cnof selects no task",
        expected: "one of conf",
        hint: "Write --tags conf",
      };
      expect(() => planned(false, false).requireSelected(request(["cnof"]), late)).toThrow(
        expect.objectContaining({ code: "E_USAGE", failure }) as Error,
      );
      expect(() => planned(false, false).requireSelected(request([], ["conf"]), late)).toThrow(
        "--skip-tags conf leaves no task",
      );
    });

    test("is accepted if a task of one host is selected, no tag was given, or a host was not planned", () => {
      expect(() => planned(false, true).requireSelected(request(["conf"]), late)).not.toThrow();
      expect(() => planned(false, false).requireSelected(request([]), late)).not.toThrow();
      expect(() => planned(false).requireSelected(request(["cnof"]), late)).not.toThrow();
    });
  });
});
