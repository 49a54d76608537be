import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { absent, knownAfterApply, playbook } from "../../src/authoring.ts";
import { guardUnknown, UnknownValue } from "../../src/core/facts/compare.ts";
import { parseInput } from "../../src/core/params/params.ts";
import { explain, simulate } from "../../src/testing/index.ts";
import { fetch } from "./fetch.ts";

const path = "/etc/rancher/rke2/rke2.yaml";
const there = { type: "file", mode: "0600", owner: "root", group: "root", sha256: "a" } as const;
const copy = { sha256: "a", size: 1, path: "/home/me/kubeconfig", mode: "0644" } as const;
const call = fetch({ path, to: "kubeconfig" });

describe("fetch", () => {
  test.each([
    { title: "there is no copy", now: absent, differing: [""] },
    { title: "the copy has different content", now: { ...copy, sha256: "b" }, differing: ["sha256"] },
    { title: "the copy has a different mode", now: { ...copy, mode: "0666" }, differing: ["mode"] },
  ])("fetches the file if $title", ({ now, differing }) => {
    const { steps, change } = explain(call, { path: there, copy: now });
    expect(steps).toEqual([{ step: "fetch", path, to: "kubeconfig", mode: "0644", maxBytes: 4_294_967_296 }]);
    expect(change).toEqual({ 'file:{"path":"kubeconfig"}': differing });
  });

  test("refuses a file larger than maxBytes, in check mode and in a run", () => {
    const small = fetch({ path, to: "kubeconfig", maxBytes: 1000 });
    expect(explain(small, { path: { ...there, size: 1001 }, copy: absent }).refusal).toMatchObject({
      code: "too-large",
      current: "1001 bytes",
      expected: "at most 1000 bytes",
    });
    expect(explain(small, { path: { ...there, size: 1000 }, copy: absent }).refusal).toBeUndefined();
  });

  test("leaves a correct copy alone", () => {
    expect(explain(call, { path: there, copy }).steps).toEqual([]);
  });

  test("predicts a fetch of a file with unknown content only if the controller has no copy", () => {
    const want = (params: object, now: object): object =>
      fetch.definition.want(params as never, guardUnknown(now) as never);
    const unknown = { path: knownAfterApply, made: knownAfterApply };
    const asked = { path, to: "kubeconfig", secret: true };
    expect(want(asked, { ...unknown, copy: absent })).toEqual({ copy: { seal: knownAfterApply, mode: "0600" } });
    expect(want({ ...asked, secret: false }, { ...unknown, copy: absent })).toEqual({
      copy: { sha256: knownAfterApply, mode: "0644" },
    });
    expect(() => want(asked, { ...unknown, copy })).toThrow(UnknownValue);
  });

  test("makes a secret copy readable only by its owner, and compares keyed hashes", () => {
    const secret = fetch({ path, to: "kubeconfig", secret: true });
    const sealed = { seal: "sealed:1", size: 1, path: "/home/me/kubeconfig", mode: "0600" };
    const [stage] = fetch.definition.stages;
    expect(stage?.({ path, to: "kubeconfig", secret: true } as never, {} as never)).toMatchObject({
      path: { secret: true, facets: ["sha256"] },
      copy: { driver: "file", request: { path: "kubeconfig", sealed: true } },
    });
    const now = { ...there, seal: "sealed:1" };
    expect(explain(secret, { path: now, copy: sealed }).steps).toEqual([]);
    expect(explain(secret, { path: now, copy: { ...sealed, mode: "0644" } }).steps).toMatchObject([{ mode: "0600" }]);
    expect(explain(secret, { path: { ...now, seal: "sealed:2" }, copy: sealed }).steps).toHaveLength(1);
  });

  test.each([
    { title: "nothing there", now: absent, code: "no-file" },
    { title: "a directory", now: { ...there, type: "directory" }, code: "no-regular-file" },
  ])("refuses if it finds $title", ({ now, code }) => {
    expect(explain(call, { path: now, copy: absent }).refusal?.code).toBe(code);
  });

  test("reports a path that is a device, FIFO or socket", () => {
    const { refusal } = explain(call, { path: { ...there, type: "other" }, copy: absent });
    expect(refusal?.message).toBe(`${path} is a device, FIFO or socket`);
  });

  test("refuses in check mode a copy that the run could not write on the controller", async () => {
    const folder = mkdtempSync(join(tmpdir(), "furrow-fetch-"));
    writeFileSync(join(folder, "file"), "");
    const book = (to: string) =>
      playbook({ name: "fetch", plays: [{ hosts: "a", tasks: () => [fetch({ path: "/etc/hostname", to })] }] });
    const ended = async (to: string): Promise<unknown> => {
      const { tasks } = await simulate(book(join(folder, to)), { hosts: ["a"], mode: "check" });
      return tasks.map(({ outcome, error }) => [outcome, error?.code, error?.failure.current])[0];
    };
    expect(await ended("new/deep/copy")).toEqual(["changed", undefined, undefined]);
    expect(await ended("file/copy")).toEqual(["failed", "E_FILE", `${folder}/file is not a directory`]);
    rmSync(folder, { recursive: true });
  });

  test.each([
    { input: { path: "etc/x", to: "x" }, expected: 'an absolute path, like "/etc/motd"' },
    { input: { path, to: "logs/" }, expected: "the path of a file, not of a directory" },
    {
      input: { path, to: "x", secret: true, mode: "0644" },
      expected: 'a mode that gives only the owner access, like "0600", because the content is secret',
    },
    { input: { path, to: "x", mode: 420 }, expected: 'an octal mode in quotes, like "0644"' },
  ])("refuses bad params and names the expected form: $expected", ({ input, expected }) => {
    const failure = expect.objectContaining({ expected }) as object;
    expect(() => parseInput(fetch.card.params, input, {})).toThrow(expect.objectContaining({ failure }) as Error);
  });
});
