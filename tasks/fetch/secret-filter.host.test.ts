import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { runNodes } from "../../test/tasks/on-host.ts";
import { fetch } from "./fetch.ts";

let folder = "";
const at = (path: string): string => join(folder, path);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "furrow-secret-filter-"));
  writeFileSync(at("conf"), "user=app\npassword=zebra-77-quagga\n");
});
afterEach(() => rmSync(folder, { recursive: true }));

const fetched = (script: string, secret: boolean) =>
  fetch({ path: at("conf"), to: at("copy"), secret, through: ["sh", "-c", script] });
const quoting = "sed -n 's/.*password=zebra/bad value: /p' >&2; exit 4";

test.each(["check", "apply"] as const)(
  "a failing filter that quotes part of a secret file does not leak that part into the report: %s",
  async (mode) => {
    expect(JSON.stringify(await runNodes(["sh"], mode, [fetched(quoting, true)]))).not.toContain("77-quagga");
    expect(existsSync(at("copy"))).toBe(false);
  },
);

test("a failing filter of a secret file is named, and its output is reported as hidden", async () => {
  const events = await runNodes(["sh"], "apply", [fetched(quoting, true)]);
  const [error] = events.flatMap((event) => (event.type === "taskFinished" ? [event.error] : []));
  expect(error?.failure).toMatchObject({
    what: `${at("conf")} cannot be fetched: its filter sh failed`,
    current: "exit code 4",
    details: ["(the output of sh is hidden because of `secret`)"],
  });
});

test("a successful filter that quotes part of a secret file does not leak that part into the report", async () => {
  const events = await runNodes(["sh"], "apply", [
    fetched(`p=$(sed -n 's/.*password=//p'); echo "$p" >&2; echo "$p"`, true),
  ]);
  expect(JSON.stringify(events)).not.toContain("77-quagga");
  expect(readFileSync(at("copy"), "utf8")).toBe("zebra-77-quagga\n");
});

test("the message of a failing filter is still shown if the file is not secret", async () => {
  const events = await runNodes(["sh"], "apply", [fetched(quoting, false)]);
  expect(JSON.stringify(events)).toContain("bad value: -77-quagga");
});
