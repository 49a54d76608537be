import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { valuesOf } from "./precedence.ts";
import { parseVarFlags } from "./var-flag.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-vars-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("parseVarFlags", () => {
  it.each([
    ["a=1", { a: 1 }],
    ["a=true", { a: true }],
    ['a={"b":[1]}', { a: { b: [1] } }],
    ["a=v1.4", { a: "v1.4" }],
    ["a=0644", { a: "0644" }],
    ["a=12345678901234567890", { a: "12345678901234567890" }],
    ["a=1.10", { a: "1.10" }],
    ["a=", { a: "" }],
    ["a=b=c", { a: "b=c" }],
    ["a=two words", { a: "two words" }],
    ['a="x b=c"', { a: "x b=c" }],
    ['{"a": 1, "b": ["x"]}', { a: 1, b: ["x"] }],
  ])("reads %s", async (flag, expected) => {
    expect(valuesOf(await parseVarFlags([flag]))).toEqual(expected);
  });

  it("refuses a key that occurs twice in the JSON of one var", async () => {
    await expect(parseVarFlags(['a={"a":1,"a":2}'])).rejects.toThrow('--var gives the key "a" twice');
  });

  it("refuses a file with two documents, the second of which would be ignored", async () => {
    const path = join(folder, "two.yaml");
    writeFileSync(path, "a: 1\n---\na: 2\n");
    await expect(parseVarFlags([`@${path}`])).rejects.toThrow(`the vars file ${path} has more than one document`);
  });

  it("reads files, and lets later flags win", async () => {
    const yaml = join(folder, "v.yaml");
    const json = join(folder, "v.json");
    writeFileSync(yaml, "a: 1\nlist:\n  - x\n");
    writeFileSync(json, '{"a": 2}');
    const vars = await parseVarFlags([`@${yaml}`, `@${json}`, "c=3"]);
    expect(valuesOf(vars)).toEqual({ a: 2, list: ["x"], c: 3 });
    expect(vars["a"]?.origin).toBe(`--var @${json}`);
  });

  it("refuses an unknown YAML tag without printing it, because it may be part of a secret", async () => {
    const path = join(folder, "tag.yml");
    writeFileSync(path, "pw: !s3cr3t 1\n");
    await expect(parseVarFlags([`@${path}`])).rejects.toMatchObject({
      code: "E_FILE",
      failure: { where: { source: `${path}:1:5` }, current: "Unresolved tag" },
    });
  });

  it("names the line if a file cannot be parsed", async () => {
    const path = join(folder, "bad.yaml");
    writeFileSync(path, "a: 1\nb: [\n");
    await expect(parseVarFlags([`@${path}`])).rejects.toMatchObject({
      code: "E_FILE",
      failure: { where: { source: expect.stringMatching(/bad\.yaml:\d+:\d+$/) as string } },
    });
  });

  it("refuses a file that gives a key twice, and names the place", async () => {
    const path = join(folder, "twice.json");
    writeFileSync(path, '{ "port": 80,\n "port": 81 }');
    await expect(parseVarFlags([`@${path}`])).rejects.toMatchObject({
      code: "E_FILE",
      failure: { where: { source: `${path}:2:2` }, what: expect.stringContaining('the key "port" twice') as string },
    });
    await expect(parseVarFlags(['{"port": 80, "port": 81}'])).rejects.toMatchObject({
      failure: { what: '--var gives the key "port" twice' },
    });
  });

  it("refuses a var named __proto__, which would otherwise be silently missing", async () => {
    const path = join(folder, "proto.json");
    writeFileSync(path, '{ "__proto__": 1 }');
    for (const flag of ["__proto__=1", `@${path}`]) {
      await expect(parseVarFlags([flag])).rejects.toMatchObject({
        failure: { what: "a var cannot be named __proto__" },
      });
    }
  });

  it.each([
    ["env=test broken=true", "--var env=… seems to contain another var, broken"],
    ["…", "--var … has no value: furrow prints … in place of a value that may be secret"],
    ["token=…", "--var token=… has no value: furrow prints … in place of a value that may be secret"],
  ])("refuses %s, which would set a var to an unintended text", async (flag, what) => {
    await expect(parseVarFlags([flag])).rejects.toMatchObject({ code: "E_USAGE", failure: { what } });
  });

  it.each([
    "ecdsa-sha2-nistp256 AAAAE2VjZHNhQQ= me@here",
    "ssh-rsa AAAAB3NzaC1yc2EQ== me@here",
    "ssh-rsa AAAAB3NzaC1yQ==",
  ])("accepts the public key %s, whose base64 ends with padding", async (key) => {
    expect((await parseVarFlags([`publicKey=${key}`]))["publicKey"]?.value).toBe(key);
  });

  it.each([["nonsense"], ["=x"], ["a b=c"], ["{broken"]])("refuses %s", async (flag) => {
    await expect(parseVarFlags([flag])).rejects.toMatchObject({ code: "E_USAGE" });
  });
});
