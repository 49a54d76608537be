import { expect, test } from "vitest";
import * as catalogue from "../../../tasks/index.ts";
import { insteadOf } from "./other-modules.ts";
import { taskLike } from "./other-tools.ts";

const names = new Set(
  Object.values(catalogue as Record<string, unknown>).flatMap((value) =>
    typeof value === "function" && "card" in value ? [(value.card as { name: string }).name] : [],
  ),
);

test.each([
  ["git", /readOnly|unless/],
  ["community.docker.docker_container", /^Use command with an unless/],
  ["known_hosts", /hostKeys/],
  ["ansible.builtin.set_fact", /const/],
  ["notify", /restartOn/],
  ["become", /become: true/],
  ["flush_handlers", /restartOn/],
  ["pause", /confirm/],
  ["debug", /console\.log/],
])("names what to use instead of %s", (name, text) => {
  expect(insteadOf(name)).toMatch(text);
});

test("returns undefined for furrow's own names and for unknown names", () => {
  expect([insteadOf("file"), insteadOf("toString"), insteadOf("nosuch")]).toEqual([undefined, undefined, undefined]);
});

test.each([
  "ansible.builtin.apt",
  "replace",
  "pip",
  "wait_for_connection",
  "slurp",
  "community.general.ini_file",
  "ufw",
  "directory",
  "symlink",
  "exec",
])("each task that is suggested for %s exists", (name) => {
  const task = taskLike(name);
  const named = [...(insteadOf(name) ?? "").matchAll(/furrow doc (\w+)/g)].map(([, own]) => own ?? "");
  const all = [...(task === undefined ? [] : [task]), ...named];
  expect(all.length).toBeGreaterThan(0);
  expect(all.filter((own) => !names.has(own))).toEqual([]);
});
