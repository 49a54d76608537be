import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Node } from "../../src/core/authoring/group.ts";
import { secretOf } from "../../src/core/secrets/secret.ts";
import { runNodes } from "../../test/tasks/on-host.ts";
import * as t from "../index.ts";

let folder = "";
const at = (path: string): string => join(folder, path);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "furrow-secret-validator-"));
  writeFileSync(at("accept"), `#!/bin/sh\nsed -n s/.*password=zebra/found:/p "$1"\n`, { mode: 0o755 });
  writeFileSync(at("reject"), `#!/bin/sh\nsed -n s/.*password=zebra/found:/p "$1" >&2\nexit 3\n`, { mode: 0o755 });
  writeFileSync(at("conf"), "user=app\npassword=zebra-77-quagga\n");
});
afterEach(() => rmSync(folder, { recursive: true }));

const password = () => String(secretOf("password=zebra-77-quagga", "password"));
const padding = "x=1\n".repeat(20_000);

/**
 * Tasks that pass content with `password=zebra-77-quagga` to a validator. The argument is the name of the validator.
 */
const tasks: Readonly<Record<string, (validator: string) => Node>> = {
  "a line in a file that is secret": (validator) =>
    t.fileLine({ path: at("conf"), line: "port=1", secret: true, validate: `${at(validator)} %s` }),
  "a block in a file that is secret": (validator) =>
    t.fileBlock({ path: at("conf"), block: "port=1", secret: true, validate: `${at(validator)} %s` }),
  "a line in a file that is secret and new": (validator) =>
    t.fileLine({
      path: at("new"),
      line: "password=zebra-77-quagga",
      secret: true,
      create: true,
      validate: `${at(validator)} %s`,
    }),
  "a line that is a secret": (validator) =>
    t.fileLine({ path: at("new"), line: password(), create: true, validate: `${at(validator)} %s` }),
  "a block that is a secret": (validator) =>
    t.fileBlock({ path: at("new"), block: password(), create: true, validate: `${at(validator)} %s` }),
  "content that is a secret": (validator) =>
    t.file({ path: at("new"), content: `${password()}\n`, validate: `${at(validator)} %s` }),
  "content that is a secret and is sent separately": (validator) =>
    t.file({ path: at("new"), content: `${password()}\n${padding}`, validate: `${at(validator)} %s` }),
  "content that is a secret and too large for check mode": (validator) =>
    t.file({ path: at("new"), content: `${password()}\n${padding.repeat(15)}`, validate: `${at(validator)} %s` }),
};

describe.each(Object.entries(tasks))("`run -v` and `--json` do not print part of the secret: %s", (_title, task) => {
  test("if the validator accepts it", async () => {
    const events = JSON.stringify([
      ...(await runNodes(["sh"], "check", [task("accept")])),
      ...(await runNodes(["sh"], "apply", [task("accept")])),
    ]);
    expect(events).toContain('"outcome":"changed"');
    expect(events).not.toContain("77-quagga");
  });

  test("if the validator rejects it", async () => {
    const events = JSON.stringify([
      ...(await runNodes(["sh"], "check", [task("reject")])),
      ...(await runNodes(["sh"], "apply", [task("reject")])),
    ]);
    expect(events).toContain('"outcome":"failed"');
    expect(events).not.toContain("77-quagga");
  });
});

test("a validator that rejects secret content during a run is named, and its output is reported as hidden", async () => {
  const events = await runNodes(["sh"], "apply", [
    tasks["content that is a secret and too large for check mode"]!("reject"),
  ]);
  const [error] = events.flatMap((event) => (event.type === "taskFinished" ? [event.error] : []));
  expect(error?.failure.details).toEqual([
    `${at("reject")} does not accept the new content; its output is hidden, because the content is secret`,
  ]);
});

test("the output of a validator is still shown if the content is not secret", async () => {
  const shown = t.fileLine({ path: at("conf"), line: "port=1", validate: `${at("accept")} %s` });
  expect(JSON.stringify(await runNodes(["sh"], "apply", [shown]))).toContain("found:-77-quagga");
  expect(readFileSync(at("conf"), "utf8")).toContain("port=1");
});
