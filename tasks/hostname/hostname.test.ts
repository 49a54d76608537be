import { describe, expect, test } from "vitest";
import { absent } from "../../src/authoring.ts";
import { explain } from "../../src/testing/explain.ts";
import { hostname } from "./hostname.ts";

const saved = (text: string): object => ({ type: "file", mode: "0644", owner: "root", group: "root", text });

describe("hostname", () => {
  test.each([
    { running: "web", saved: saved("web\n"), steps: [] },
    { running: "web", saved: saved("# by hand\n\nweb\n"), steps: [] },
    { running: "old", saved: saved("web\n"), steps: ["set the running host name to web"] },
    { running: "web", saved: saved("old\n"), steps: ["write /etc/hostname"] },
    { running: "old", saved: absent, steps: ["write /etc/hostname", "set the running host name to web"] },
  ])("takes the steps $steps if the running name is $running", ({ steps, ...now }) => {
    expect(explain(hostname({ name: "web" }), now).described).toEqual(steps);
  });
  test.each(["", "a b", "-a", "a_b", "Web", "a..b", "a".repeat(65)])("refuses %j", (name) => {
    expect(() => explain(hostname({ name }), {})).toThrow('param "name"');
  });
});
