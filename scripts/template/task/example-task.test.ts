import { describe, expect, test } from "vitest";
import { absent } from "../../../src/authoring.ts";
import { explain } from "../../../src/testing/index.ts";
import { exampleTask } from "./example-task.ts";

const there = { type: "file", mode: "0644", owner: "root", group: "root" } as const;

describe("exampleTask", () => {
  test.each([
    { title: "makes the file", present: true, now: absent, steps: ["write /etc/example"] },
    { title: "leaves it alone where it is there", present: true, now: there, steps: [] },
    { title: "removes it", present: false, now: there, steps: ["remove /etc/example"] },
    { title: "is content with nothing", present: false, now: absent, steps: [] },
  ])("$title", ({ present, now, steps }) => {
    expect(explain(exampleTask({ path: "/etc/example", present }), { marker: now }).described).toEqual(steps);
  });
});
