import { expect, test } from "vitest";
import type { RunEvent } from "../../core/events.ts";
import { secretOf } from "../../core/secrets/secret.ts";
import { redacted } from "../redacted.ts";

/** Returns the text that a report receives if output arrives in these chunks. */
function reported(pieces: readonly string[]): string {
  let seen = "";
  const report = redacted({
    handle: (event) => void (event.type === "stepOutput" && (seen += event.text)),
    close: () => Promise.resolve(),
  });
  const task = { id: "0", name: "command", title: "t" } as unknown as Extract<RunEvent, { type: "stepOutput" }>["task"];
  for (const text of pieces) report.handle({ type: "stepOutput", host: "h", task, stream: "stderr", text });
  report.handle({ type: "stepOutput", host: "h", task, stream: "stderr", text: "\n" });
  return seen;
}

test("redacts a secret that straddles the cut in a line over 64 KiB", () => {
  const value = "zq7-Hunter2-secret-value";
  secretOf(value, "LONGLINE");
  for (let at = 1; at < value.length; at += 1) {
    const seen = reported(["A".repeat(65_537) + value.slice(0, at), `${value.slice(at)}","pad":"BBBB`]);
    expect(seen.replaceAll("A", "")).toContain(`","pad":"BBBB`);
    for (const part of ["zq7-", "Hunter2", "secret-value"]) expect(seen.includes(part)).toBe(false);
  }
});

test("redacts the whole of a secret that consists of repeating text and ends at the cut", () => {
  secretOf("abcabcabcabc", "REPEATS");
  expect(reported([`${"A".repeat(65_537)}abcabcabcabc`, "B"]).replace(/^A+/, "")).toBe("«secret REPEATS»B\n");
});
