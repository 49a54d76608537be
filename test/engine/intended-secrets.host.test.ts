import { expect, test } from "vitest";
import type { Node } from "../../src/core/authoring/group.ts";
import type { RunEvent } from "../../src/core/events.ts";
import { secretOf } from "../../src/core/secrets/secret.ts";
import { cleanEvent } from "../../src/report/clean-event.ts";
import { intentLine } from "../../src/report/changes/intent-line.ts";
import { runNodes } from "../tasks/on-host.ts";
import * as t from "../../tasks/index.ts";

/** The desired state that check reports for a task if an earlier task makes the file's state unknown. */
async function wanted(task: Node): Promise<string[]> {
  const path = "/nowhere/conf";
  const read = t.command({ command: ["cat", "/etc/hostname"], always: true, disturbs: [] });
  const before = t.file({ path, content: read.output.map(({ stdout }) => stdout) }, { temporary: true });
  const events: RunEvent[] = (await runNodes(["sh"], "check", [read, before, task])).map(cleanEvent);
  return events
    .flatMap((event) => (event.type === "taskFinished" ? [event] : []))
    .slice(-1)
    .flatMap(({ intends = [], task: { title } }) => intentLine(intends, title));
}

test("an undecided file with secret content shows the mode and owner that it should have, and that its content is secret", async () => {
  const content = String(secretOf("zebra-77-quagga", "token"));
  const task = t.file({ path: "/nowhere/conf", content, mode: "0600", owner: "app" });
  expect(await wanted(task)).toEqual(["wants mode 0600, owner app, content (secret)"]);
});

test("an undecided line of a secret file is not shown", async () => {
  const task = t.fileLine({ path: "/nowhere/conf", line: "password=okapi-88-eland", secret: true, mode: "0600" });
  const [said = ""] = await wanted(task);
  expect(said).not.toContain("okapi");
  expect(said).toContain("mode 0600");
});
