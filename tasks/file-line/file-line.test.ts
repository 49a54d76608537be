import { describe, expect, test } from "vitest";
import { absent, secret } from "../../src/authoring.ts";
import { parseInput } from "../../src/core/params/params.ts";
import { reveal, secretOf } from "../../src/core/secrets/secret.ts";
import { fileKind } from "../../src/facts/files/file.ts";
import { explain } from "../../src/testing/index.ts";
import { fileLine } from "./file-line.ts";

const directory = { type: "directory", mode: "0755", owner: "root", group: "root" } as const;
const hosts = { type: "file", mode: "0644", owner: "root", group: "root", text: "127.0.0.1 localhost\n" } as const;
const path = "/etc/hosts";
const wanted = { path, line: "10.0.0.1 boot" };

describe("fileLine", () => {
  test("inserts a line, and changes nothing else in the file", () => {
    const { change, steps } = explain(fileLine(wanted), { path: hosts });
    expect(change).toEqual({ "file:/etc/hosts": ["text"] });
    expect(steps).toEqual([
      { step: "writeFile", path, text: "127.0.0.1 localhost\n10.0.0.1 boot\n", replaces: hosts.text },
    ]);
  });

  test("leaves a file with the line alone", () => {
    expect(explain(fileLine(wanted), { path: { ...hosts, text: "10.0.0.1 boot" } }).steps).toEqual([]);
  });

  test("adds a second line to the text that the first task predicts", () => {
    const first = explain(fileLine(wanted), { path: hosts }).steps[0] as { text: string };
    const foreseen = fileKind.predict?.(hosts, { type: "file", text: first.text }, { user: "root" });
    expect(explain(fileLine({ path, line: "10.0.0.2 node" }), { path: foreseen }).steps).toEqual([
      { step: "writeFile", path, text: "127.0.0.1 localhost\n10.0.0.1 boot\n10.0.0.2 node\n", replaces: first.text },
    ]);
    expect(explain(fileLine(wanted), { path: foreseen }).steps).toEqual([]);
  });

  test("fixes only the mode if only the mode differs", () => {
    const now = { ...hosts, text: "10.0.0.1 boot\n", mode: "0666" };
    expect(explain(fileLine({ ...wanted, mode: "0644" }), { path: now }).steps).toEqual([
      { step: "setAttributes", path, mode: "0644" },
    ]);
  });

  test("removes lines, and does nothing to a missing file", () => {
    const call = fileLine({ path, state: "absent", match: "localhost" });
    expect(explain(call, { path: hosts }).steps).toEqual([{ step: "writeFile", path, text: "", replaces: hosts.text }]);
    expect(explain(call, { path: absent }).steps).toEqual([]);
  });

  test("creates the file if allowed", () => {
    expect(explain(fileLine({ ...wanted, create: true }), { path: absent, parent: directory }).steps).toEqual([
      { step: "writeFile", path, text: "10.0.0.1 boot\n", replaces: null },
    ]);
  });

  test.each([
    { title: "no file", params: wanted, now: { path: absent }, code: "no-file" },
    {
      title: "no folder",
      params: { ...wanted, create: true },
      now: { path: absent, parent: absent },
      code: "no-parent",
    },
    {
      title: "a file where the directory should be",
      params: { ...wanted, create: true },
      now: { path: absent, parent: hosts },
      code: "parent-not-directory",
    },
    { title: "a directory", params: wanted, now: { path: directory }, code: "no-regular-file" },
    {
      title: "a link",
      params: wanted,
      now: { path: { ...hosts, type: "link", target: "/x" } },
      code: "no-regular-file",
    },
  ])("refuses if it finds $title", ({ params, now, code }) => {
    expect(explain(fileLine(params), now).refusal?.code).toBe(code);
  });

  test.each([
    { title: "no line", input: { path }, expected: /a `line`/ },
    { title: "two lines", input: { path, line: "a\nb" }, expected: /one line/ },
    { title: "a bad regular expression", input: { path, line: "a", match: "(" }, expected: /a regular expression; / },
    { title: "two anchors", input: { path, line: "a", insertAfter: "a", insertBefore: "b" }, expected: /not both/ },
    { title: "nothing to remove", input: { path, state: "absent" }, expected: /a `line`, a `match` or both/ },
  ])("refuses params with $title", ({ input, expected }) => {
    expect(() => parseInput(fileLine.card.params, input, {})).toThrow(
      expect.objectContaining({
        failure: expect.objectContaining({ expected: expect.stringMatching(expected) as string }) as object,
      }) as Error,
    );
  });
});

describe("fileLine with a secret", () => {
  const token = secretOf("t0ps3cret", "token");
  const call = fileLine({ path: "/etc/app.conf", line: `token=${token}`, match: "^token=", create: true });

  test("reads the file as secret", () => {
    const [stage] = call.module.stages;
    const asked = stage?.({ ...(call.input as object), secret: false } as never, {} as never);
    expect(asked).toMatchObject({ path: { secret: true, facets: ["hidden"] } });
  });

  test("writes the secret, with a mode that makes a new file private", () => {
    const [step] = explain(call, { path: absent, parent: directory }).steps;
    expect(JSON.stringify(step)).not.toContain("t0ps3cret");
    expect(step).toMatchObject({ step: "writeFile", path: "/etc/app.conf", mode: "0600" });
    expect(reveal((step as { text: string }).text)).toBe("token=t0ps3cret\n");
  });

  test("changes one line in hidden content", () => {
    const text = String(secretOf("a\r\ntoken=old\r\nz", "content"));
    const [step] = explain(call, { path: { ...hosts, text, seal: "sealed:old" }, parent: directory }).steps;
    expect(JSON.stringify(step)).not.toMatch(/t0ps3cret|old/);
    expect(reveal((step as { text: string }).text)).toBe("a\r\ntoken=t0ps3cret\r\nz");
  });

  test("hides the lines of a secret file, even if the inserted line is not secret", () => {
    const plain = fileLine({ path, line: "b", secret: true });
    const [stage] = plain.module.stages;
    expect(stage?.({ ...wanted, secret: true } as never, {} as never)).toMatchObject({ path: { secret: true } });
  });

  test("accepts a secret that has no value yet as the line", () => {
    expect(() => explain(fileLine({ path, line: secret.env("NO_SUCH") }), { path: absent })).not.toThrow();
  });
});
