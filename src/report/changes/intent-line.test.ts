import { expect, test } from "vitest";
import type { FactChange } from "../../core/events.ts";
import { absent, knownAfterApply } from "../../core/facts/symbols.ts";
import { intentLine } from "./intent-line.ts";

const wants = (fact: string, to: unknown, secret = false): FactChange => ({
  fact,
  differences: [{ path: "", from: knownAfterApply, to }],
  secret,
});

test("says what an undecided task wants", () => {
  const unit = wants("unit:nginx.service", {
    state: "started",
    enabled: true,
    startedWith: { "file:/a": { sha256: "1" } },
  });
  expect(intentLine([unit], "service nginx")).toBe("wants state started, enabled true");
  expect(intentLine([wants('userCommand:{"argv":["test"]}', { exitCode: 0 })], "command x")).toBe("");
  expect(intentLine([unit], "a task")).toBe("wants unit:nginx.service state started, enabled true");
});

test("shows the number of lines of the content, and never hashes or secrets", () => {
  const conf = wants("file:/etc/a", { type: "file", sha256: "1f", text: "a\nb\n", mode: knownAfterApply });
  expect(intentLine([conf], "file /etc/a")).toBe("wants type file, content of 2 lines");
  const secret = wants("file:/etc/key", { mode: "0600", text: "hunter2\n", seal: "sealed:1" }, true);
  expect(intentLine([secret], "file /etc/key")).toBe("wants mode 0600, content (secret)");
  expect(intentLine([wants("file:/etc/a", absent)], "file /etc/a")).toBe("wants absent");
  expect(intentLine([wants("file:/etc/a", { text: knownAfterApply })], "file /etc/a")).toBe("");
});

test("for an undecided file with secret content, says that content is wanted, and hides nothing but the content", () => {
  const sealed = { type: "file", mode: "0600", owner: "app", seal: "sealed:1" };
  const line = intentLine([wants("file:/etc/key", sealed, true)], "file /etc/key");
  expect(line).toBe("wants type file, mode 0600, owner app, content (secret)");
});

test("says that an undecided task wants a password, but does not show the password's seal", () => {
  const account = wants("user:app", { shell: "/bin/sh", passwordSeal: "sealed:1" });
  expect(intentLine([account], "user app")).toBe("wants shell /bin/sh, password (secret)");
});
