import { describe, expect, it } from "vitest";
import type { FactChange } from "../../core/events.ts";
import { absent, knownAfterApply } from "../../core/facts/symbols.ts";
import { changeLines } from "./changes.ts";
import { paintFor } from "../text/colours.ts";

function lines(change: Partial<FactChange>, title = "another task", diff = false): string {
  const whole = { fact: "file:/a", differences: [], secret: false, ...change };
  return `\n${changeLines([whole], title, { diff, mode: "check", paint: paintFor(false) }).join("\n")}\n`;
}

describe("changeLines", () => {
  it("names the fact unless the task title names it", () => {
    const differences = [{ path: "mode", from: "0600", to: "0644" }];
    expect(lines({ differences })).toBe("\nfile:/a  mode  0600 → 0644\n");
    expect(lines({ differences }, "file /a")).toBe("\nmode  0600 → 0644\n");
  });

  it("shows added and removed items", () => {
    const to = { type: "file", text: "x\ny\n", mode: undefined };
    expect(lines({ differences: [{ path: "", from: absent, to }] })).toMatchInlineSnapshot(`
      "
      + file:/a  type file, text 2 lines added
      "
    `);
    expect(lines({ differences: [{ path: "", from: absent, to }] }, "file /a", true)).toMatchInlineSnapshot(`
      "
      + type file
        @@ -1,0 +1,2 @@
        +x
        +y
      "
    `);
    expect(lines({ differences: [{ path: "", from: { type: "file" }, to: absent }] })).toBe("\n- file:/a  file\n");
  });

  it("names a new item again after the title if there is nothing else to show", () => {
    const title = "command make > /a";
    expect(lines({ differences: [{ path: "", from: absent, to: {} }] }, title)).toBe("\n+ file:/a\n");
    expect(lines({ differences: [{ path: "", from: absent, to: true }] }, title)).toBe("\n+ file:/a\n");
  });

  it("shows the size of a removed directory only once", () => {
    const gone = (fact: string, from: object): FactChange => ({
      fact,
      differences: [{ path: "", from, to: absent }],
      secret: false,
    });
    const counted = { type: "directory", real: "/a", uses: [], files: 1204, directories: 1, bytes: 3_100_000_000 };
    const both = [gone("file:/a", { type: "directory" }), gone("removal:/a", counted)];
    const style = { diff: false, mode: "check", paint: paintFor(false) } as const;
    expect(changeLines(both, "file /a", style)).toEqual(["- directory, 1,204 files, 1 directory below, 3.1 GB"]);
    const slow = gone("removal:/a/b", { ...counted, real: "/a/b", more: "slow" });
    expect(changeLines([slow], "directory tree /a", style)).toEqual([
      "- file:/a/b  directory, more than 1,204 files, more than 1 directory below, 3.1 GB",
    ]);
  });

  it("marks a value that is known only after apply", () => {
    const differences = [{ path: "uuid", from: absent, to: knownAfterApply }];
    expect(lines({ differences })).toContain("uuid  absent → (known after apply)");
  });

  it("says that a password is set or differs, and shows neither the password nor its seal", () => {
    const uid = { path: "uid", from: 1, to: 2 };
    const seals = { path: "passwordSeal", from: "sealed:1f3d", to: "sealed:22ab" };
    const to = { home: "/home/ana", passwordSeal: "sealed:22ab" };
    for (const diff of [true, false]) {
      expect(lines({ differences: [{ path: "", from: absent, to }] }, "user ana", diff)).toBe(
        "\n+ file:/a  home /home/ana, password (secret)\n",
      );
      expect(lines({ differences: [uid, seals] }, "file /a", diff)).toBe(
        "\nuid       1 → 2\npassword  (secret) differs\n",
      );
    }
  });

  it("says that a secret differs, and shows none of its content", () => {
    const differences = [
      { path: "seal", from: "sealed:11", to: "sealed:22" },
      { path: "mode", from: "0644", to: "0600" },
    ];
    const shown = lines({ secret: true, differences });
    expect(shown).toContain("seal  (secret) differs");
    expect(shown).toContain("mode  0644 → 0600");
    expect(shown).not.toMatch(/11|22/);
    expect(lines({ secret: true, differences: [{ path: "", from: "a1", to: "b2" }] })).not.toMatch(/a1|b2/);
    expect(lines({ secret: true, differences: [{ path: "", from: absent, to: { text: "c3" } }] })).not.toContain("c3");
  });

  it("shows the items that are added to or removed from a list", () => {
    const differences = [{ path: "groups", from: ["a", "b"], to: ["b", "c"] }];
    expect(lines({ differences }, "user /a")).toBe("\ngroups\n  - a\n  + c\n");
  });

  it("escapes control characters and invalid UTF-8 bytes", () => {
    const differences = [{ path: "text", from: "a\n", to: "a\n\u001b[31m\udcff\n" }];
    const shown = lines({ differences }, "", true);
    expect(shown).toContain(String.raw`+\x1b[31m\xff`);
  });

  it("cuts long values and shortens hashes", () => {
    const differences = [
      { path: "sha256", from: "0".repeat(64), to: "1".repeat(64) },
      { path: "note", from: "", to: "x".repeat(500) },
    ];
    const shown = lines({ differences }, "", true);
    expect(shown).toContain("000000000000 → 111111111111");
    expect(shown).toContain(`"" → ${"x".repeat(99)}…`);
  });

  it("without --diff, says that the content differs, but does not show its hash", () => {
    const differences = [
      { path: "sha256", from: "0".repeat(64), to: "1".repeat(64) },
      { path: "mode", from: "0600", to: "0644" },
    ];
    expect(lines({ differences }, "file:/a")).toBe("\ncontent  differs\nmode     0600 → 0644\n");
  });

  it("lists the fields, not the JSON, of a value that only a run can compare", () => {
    const to = { state: "started", enabled: true, pid: knownAfterApply };
    const change = { fact: "unit:nginx.service", differences: [{ path: "", from: knownAfterApply, to }] };
    expect(lines(change, "service nginx")).toBe("\n(known after apply) → state started, enabled true\n");
  });
});
