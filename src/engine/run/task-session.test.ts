import { expect, test } from "vitest";
import type { BecomeOptions } from "../../core/inventory/inventory-entries.ts";
import type { RunStep } from "../../core/host/step.ts";
import { taskSession } from "./task-session.ts";
import { stepsAs } from "../plan/become-account.ts";
import type { PlannedTask } from "../plan/plan.ts";

/** Returns the user of a session if `login` is the user who connects. */
const from =
  (login: string) =>
  (become: BecomeOptions | undefined): string =>
    become === undefined ? login : (become.user ?? "root");

test.each([
  ["root", undefined, undefined, "root", "root"],
  ["root", undefined, "bob", "root", "bob"],
  ["root", { user: "bob" }, "root", "root", "root"],
  ["root", { user: "bob" }, "carol", "carol", "carol"],
  ["alice", undefined, undefined, "alice", "alice"],
  ["alice", undefined, "alice", "alice", "alice"],
  ["alice", undefined, "bob", "bob", "bob"],
  ["alice", undefined, "root", "root", "root"],
  ["alice", { user: "root" }, "bob", "root", "bob"],
  ["alice", { user: "root" }, "alice", "root", "alice"],
  ["alice", { user: "bob" }, "alice", "alice", "alice"],
  ["alice", { user: "bob" }, "bob", "bob", "bob"],
  ["alice", { user: "bob" }, "carol", "carol", "carol"],
  ["alice", { method: "su" as const }, "carol", "root", "carol"],
])(
  "login %s, play %j, task %s: the session runs as %s, and the task acts as %s",
  (login, play, own, session, actor) => {
    const used = taskSession(play, own, from(login));
    expect(used.user).toBe(session);
    expect(from(login)(used.become)).toBe(session);
    const [step] = stepsAs({ become: own } as PlannedTask, [{ step: "run", argv: ["id"] } as RunStep], used.user);
    // A step that names the session's own user would switch to that user twice, which only root may do.
    expect(step?.user).toBe(actor === session ? undefined : actor);
  },
);

test("opens a session for a task's user if the login user is not known", () => {
  expect(taskSession(undefined, "bob", undefined)).toEqual({ become: { user: "bob" }, user: "bob" });
  expect(taskSession({}, "bob", undefined)).toEqual({ become: {}, user: "root" });
});
