import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { FurrowError } from "../core/errors.ts";
import { readKubeconfig } from "./kubeconfig.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-kubeconfig-"));
afterAll(() => rmSync(folder, { recursive: true }));

const context = (name: string, user = name): object => ({ name, context: { cluster: "c", user } });

/** Writes a kubeconfig with a context for each user. Returns its path. */
function write(users: Readonly<Record<string, object>>, cluster: object = {}, more: object = {}): string {
  const path = join(folder, "config");
  const config = {
    "current-context": Object.keys(users)[0],
    contexts: Object.keys(users).map((name) => context(name)),
    clusters: [{ name: "c", cluster: { server: "https://203.0.113.10:6443", ...cluster } }],
    users: Object.entries(users).map(([name, user]) => ({ name, user })),
    ...more,
  };
  writeFileSync(path, JSON.stringify(config));
  return path;
}

/** Why a kubeconfig is refused. */
async function refusalOf(path: string, wanted?: string): Promise<string> {
  const error = await readKubeconfig(path, wanted).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof FurrowError) || error.code !== "E_FILE")
    throw new Error("it was not refused as a file", { cause: error });
  return [error.message, error.failure.current, error.failure.hint].join(" ");
}

describe("a kubeconfig", () => {
  test.each([
    ["a program that logs in", { exec: { command: "aws" } }, "logs in through exec", "a certificate or a token"],
    ["an old way to log in", { "auth-provider": { name: "oidc" } }, "logs in through auth-provider", "ServiceAccount"],
    ["a user to act as", { token: "t0ken", as: "viewer" }, "its user has as, which furrow does not", "token"],
    ["groups to act as", { token: "t0ken", "as-groups": ["viewers"] }, "its user has as-groups", "token"],
    ["a password", { username: "ana", password: "p4ssword" }, "its user has username", "token"],
  ])("is refused if its user has what furrow would have to ignore: %s", async (_what, user, says, hint) => {
    const refusal = await refusalOf(write({ ana: user }));
    expect(refusal).toContain(says);
    expect(refusal).toContain(hint);
    expect(refusal).not.toMatch(/t0ken|p4ssword/);
  });

  test.each([
    ["a proxy", { "proxy-url": "http://proxy:3128" }, "its cluster has proxy-url"],
    ["no TLS", { server: "http://203.0.113.10:8080" }, "its server is not an https URL"],
    ["no URL", { server: "203.0.113.10" }, "its clusters.0.cluster.server is not as in a kubeconfig"],
  ])("is refused if its cluster is one that furrow would not reach: %s", async (_what, cluster, says) => {
    expect(await refusalOf(write({ ana: { token: "t" } }, cluster))).toContain(says);
  });

  test("is refused without its credentials in the error if it is not YAML", async () => {
    const path = join(folder, "broken");
    writeFileSync(path, `current-context: here\nusers:\n- name: a\n  user:\n    token: s3cret-t0ken: x\n`);
    const refusal = await refusalOf(path);
    expect(refusal).toContain("line 5 is not valid YAML");
    expect(refusal).not.toContain("s3cret");
    writeFileSync(path, Buffer.from([0x61, 0x3a, 0x20, 0xff]));
    expect(await refusalOf(path)).toContain("it is not UTF-8 text");
    writeFileSync(path, "a: *b\n");
    expect(await refusalOf(path)).toMatch(/aliases cannot be resolved|is not valid YAML/);
  });

  test("is refused if a file that it names cannot be read, and the file is named", async () => {
    expect(await refusalOf(write({ ana: { tokenFile: "none" } }))).toMatch(/its tokenFile cannot be read: .*none/);
    expect(await refusalOf(write({ ana: { token: "t" } }, { "certificate-authority": "none.crt" }))).toMatch(
      /its certificate-authority cannot be read: .*none\.crt/,
    );
  });

  test("may name no current context if the task names one", async () => {
    const path = write({ ana: { token: "a" }, bob: { token: "b" } }, {}, { "current-context": "" });
    expect((await readKubeconfig(path, "bob"))?.token).toBe("b");
    expect(await refusalOf(path)).toContain("it names no current-context; its contexts: ana, bob");
    expect(await refusalOf(path, "eve")).toContain("it has no context eve, only ana, bob");
  });

  test("has the token of its file, which may be renewed at any time", async () => {
    writeFileSync(join(folder, "token"), "first\n");
    const path = write({ ana: { token: "old", tokenFile: "token" } });
    expect((await readKubeconfig(path))?.token).toBe("first");
    writeFileSync(join(folder, "token"), "second\n");
    expect((await readKubeconfig(path))?.token).toBe("second");
  });

  test("is read again for each question, because an earlier task may write it", async () => {
    const path = write({ ana: { token: "one" } });
    const both = [readKubeconfig(path), readKubeconfig(path)];
    expect((await Promise.all(both)).map((access) => access?.token)).toEqual(["one", "one"]);
    write({ ana: { token: "two" } });
    expect((await readKubeconfig(path))?.token).toBe("two");
    rmSync(path);
    expect(await readKubeconfig(path)).toBeUndefined();
  });

  test("may have empty fields, which say nothing", async () => {
    const path = write(
      { ana: { token: "t", "client-certificate-data": "", tokenFile: "" } },
      { "certificate-authority": "" },
    );
    expect(await readKubeconfig(path)).toEqual({ server: "https://203.0.113.10:6443", insecure: false, token: "t" });
  });
});
