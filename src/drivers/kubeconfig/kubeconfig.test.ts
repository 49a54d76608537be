import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { FurrowError } from "../../core/errors.ts";
import { redact } from "../../core/secrets/redact.ts";
import { knownSecrets } from "../../core/secrets/secret.ts";
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

test("no output shows the token, the key or the proxy's password, however often the kubeconfig is read", async () => {
  const line = "MHcCAQEEIAAbCdEfGhIjKlMnOpQrStUvWxYz0123456789";
  const key = `-----BEGIN EC PRIVATE KEY-----\n${line}\n-----END EC PRIVATE KEY-----\n`;
  const data = { "client-certificate-data": "YQ==", "client-key-data": Buffer.from(key).toString("base64") };
  const proxy = { "proxy-url": "http://me:pr%40xy-word@203.0.113.9:3128" };
  const path = write({ ana: { token: "token-of-ana-0123456789", ...data } }, proxy);
  await readKubeconfig(path);
  const before = knownSecrets().length;
  await readKubeconfig(path);
  expect(knownSecrets()).toHaveLength(before);
  expect(redact("user with Bearer token-of-ana-0123456789")).toBe("user with Bearer «secret kubeconfig-token»");
  expect(redact(`the key ${line}`)).toBe("the key «secret kubeconfig-key»");
  expect(redact("me:pr@xy-word, me:pr%40xy-word")).toBe("me:«secret proxy-password», me:«secret proxy-password»");
});

test("no output shows a token from a file", async () => {
  writeFileSync(join(folder, "token"), "token-in-a-file-0123456789\n");
  await readKubeconfig(write({ ana: { tokenFile: join(folder, "token") } }));
  expect(redact("Bearer token-in-a-file-0123456789")).toBe("Bearer «secret kubeconfig-token»");
});

describe("a kubeconfig", () => {
  test.each([
    ["an old way to log in", { "auth-provider": { name: "oidc" } }, "its user has auth-provider", "ServiceAccount"],
    ["an empty auth-provider", { "auth-provider": {} }, "its user has auth-provider", "ServiceAccount"],
    ["a password", { username: "ana", password: "p4ssword" }, "its user has username", "token"],
    ["groups of nobody", { token: "t0ken", "as-groups": ["viewers"] }, "its user has as-groups without as", "user"],
    ["a wrong user", { token: "t0ken", as: ["p4ssword"] }, "its user.as is not valid in a kubeconfig", "Use"],
    ["wrong groups", { token: "t0ken", as: "a", "as-groups": "p4ssword" }, "its user.as-groups is not valid", "Use"],
    ["a user name of two lines", { token: "t0ken", as: "p4ssword\nX: y" }, "its user's as has a control", "Use"],
  ])("is refused if its user has a setting that furrow would have to ignore: %s", async (_what, user, says, hint) => {
    const refusal = await refusalOf(write({ ana: user }));
    expect(refusal).toContain(says);
    expect(refusal).toContain(hint);
    expect(refusal).not.toMatch(/t0ken|p4ssword/);
  });

  test.each([
    [
      "a proxy of an unsupported kind",
      { "proxy-url": "ftp://a:p4ssword@proxy" },
      "its cluster's proxy-url has the scheme ftp",
    ],
    ["a proxy without a URL", { "proxy-url": "p4ssword" }, "its cluster's proxy-url is not a URL"],
    ["no TLS", { server: "http://203.0.113.10:8080" }, "its server is not an https URL"],
    ["no URL", { server: "203.0.113.10" }, "its clusters.0.cluster.server is not valid in a kubeconfig"],
  ])("is refused if furrow cannot use its cluster's address or proxy: %s", async (_what, cluster, says) => {
    const refusal = await refusalOf(write({ ana: { token: "t" } }, cluster));
    expect(refusal).toContain(says);
    expect(refusal).not.toContain("p4ssword");
  });

  const v1 = "client.authentication.k8s.io/v1";
  const program = { apiVersion: v1, command: "aws", interactiveMode: "Never" };
  test.each([
    [
      "needs a terminal",
      { interactiveMode: "Always" },
      "interactiveMode Always, but furrow does not give programs a terminal",
    ],
    ["does not say whether it needs a terminal", { interactiveMode: null }, "its user's exec has no interactiveMode"],
    [
      "uses an old version of the API",
      { apiVersion: `${v1}alpha1` },
      `has the apiVersion ${v1}alpha1, but furrow supports`,
    ],
    ["has no version", { apiVersion: undefined }, "its user.exec.apiVersion is not valid in a kubeconfig"],
    ["has no name", { command: "" }, "its user.exec.command is not valid in a kubeconfig"],
    ["gets numbers", { args: ["eks", 7] }, "its user.exec.args.1 is not valid in a kubeconfig"],
    ["gets a variable without a name", { env: [{ name: "", value: "p4ssword" }] }, "its user.exec.env.0.name is not"],
  ])("is refused if its program %s", async (_what, more, says) => {
    const refusal = await refusalOf(write({ ana: { exec: { ...program, ...more } } }));
    expect(refusal).toContain(says);
    expect(refusal).not.toContain("p4ssword");
  });

  test("is refused if its user's exec is empty", async () => {
    expect(await refusalOf(write({ ana: { exec: {} } }))).toContain("its user.exec.apiVersion is not");
  });

  test("lets a program log in only if the kubeconfig itself has no credentials", async () => {
    expect((await readKubeconfig(write({ ana: { exec: program } })))?.login).toBeDefined();
    expect(
      (await readKubeconfig(write({ ana: { exec: { ...program, apiVersion: `${v1}beta1` } } })))?.login,
    ).toBeDefined();
    const access = await readKubeconfig(write({ ana: { exec: program, token: "t" } }));
    expect(access).toMatchObject({ token: "t" });
    expect(access).not.toHaveProperty("login");
    const base64 = Buffer.from("a").toString("base64");
    const pair = { "client-certificate-data": base64, "client-key-data": base64 };
    expect(await readKubeconfig(write({ ana: { exec: program, ...pair } }))).not.toHaveProperty("login");
  });

  test("shares its login with all kubeconfigs that configure the same program in the same way", async () => {
    const first = await readKubeconfig(write({ ana: { exec: program } }));
    expect((await readKubeconfig(write({ bob: { exec: program } })))?.login).toBe(first?.login);
    const other = { ...program, env: [{ name: "AWS_PROFILE", value: "other" }] };
    expect((await readKubeconfig(write({ ana: { exec: other } })))?.login).not.toBe(first?.login);
    // A program that gets the cluster information may return a different credential for another cluster.
    const told = { exec: { ...program, provideClusterInfo: true } };
    const here = (await readKubeconfig(write({ ana: told })))?.login;
    const there = (await readKubeconfig(write({ ana: told }, { server: "https://203.0.113.11" })))?.login;
    expect(there).not.toBe(here);
  });

  test("acts as another user with the headers that kubectl sends", async () => {
    const user = {
      token: "t",
      as: "jané",
      "as-uid": "u-1",
      "as-groups": ["viewers", "system:authenticated"],
      "as-user-extra": {
        "example.com/Scopes": ["one", "two"],
        "example.com/scopes": ["three"],
        "50% é": ["x"],
        none: [],
      },
    };
    expect((await readKubeconfig(write({ ana: user })))?.impersonation).toEqual({
      "Impersonate-User": Buffer.from("jané").toString("latin1"),
      "Impersonate-Uid": "u-1",
      "Impersonate-Group": ["viewers", "system:authenticated"],
      "Impersonate-Extra-example.com%2Fscopes": ["one", "two", "three"],
      "Impersonate-Extra-50%25%20%C3%A9": ["x"],
    });
  });

  test("may have a proxy", async () => {
    const path = write({ ana: { token: "t" } }, { "proxy-url": "socks5://proxy:1080" });
    expect((await readKubeconfig(path))?.proxy?.href).toBe("socks5://proxy:1080");
  });

  test("is refused if it is not YAML, with an error that does not contain its credentials", async () => {
    const path = join(folder, "broken");
    writeFileSync(path, `current-context: here\nusers:\n- name: a\n  user:\n    token: s3cret-t0ken: x\n`);
    const refusal = await refusalOf(path);
    expect(refusal).toContain("line 5 is not valid YAML");
    expect(refusal).not.toContain("s3cret");
    writeFileSync(path, Buffer.from([0x61, 0x3a, 0x20, 0xff]));
    expect(await refusalOf(path)).toContain("it is not UTF-8 text");
    writeFileSync(path, "a: *b\n");
    expect(await refusalOf(path)).toContain("line 1 has an alias that cannot be resolved");
  });

  test("is refused if a file that it names cannot be read, and the error names the file", async () => {
    expect(await refusalOf(write({ ana: { tokenFile: "none" } }))).toMatch(/its tokenFile cannot be read: .*none/);
    expect(await refusalOf(write({ ana: { token: "t" } }, { "certificate-authority": "none.crt" }))).toMatch(
      /its certificate-authority cannot be read: .*none\.crt/,
    );
  });

  test("needs no current context if the task names a context", async () => {
    const path = write({ ana: { token: "a" }, bob: { token: "b" } }, {}, { "current-context": "" });
    expect((await readKubeconfig(path, "bob"))?.token).toBe("b");
    expect(await refusalOf(path)).toContain("it has no current-context; its contexts: ana, bob");
    expect(await refusalOf(path, "eve")).toContain("it has no context eve, only ana, bob");
  });

  test("gets the token from its token file, where the token may be renewed at any time", async () => {
    writeFileSync(join(folder, "token"), "first\n");
    const path = write({ ana: { token: "old", tokenFile: "token" } });
    expect((await readKubeconfig(path))?.token).toBe("first");
    writeFileSync(join(folder, "token"), "second\n");
    expect((await readKubeconfig(path))?.token).toBe("second");
  });

  test("is read again for each query, because an earlier task may write it", async () => {
    const path = write({ ana: { token: "one" } });
    const both = [readKubeconfig(path), readKubeconfig(path)];
    expect((await Promise.all(both)).map((access) => access?.token)).toEqual(["one", "one"]);
    write({ ana: { token: "two" } });
    expect((await readKubeconfig(path))?.token).toBe("two");
    rmSync(path);
    expect(await readKubeconfig(path)).toBeUndefined();
  });

  test("may have empty fields, which have no effect", async () => {
    const path = write(
      {
        ana: {
          token: "t",
          "client-certificate-data": "",
          tokenFile: "",
          username: "",
          exec: null,
          as: "",
          "as-groups": [],
        },
      },
      { "certificate-authority": "", "proxy-url": "" },
    );
    expect(await readKubeconfig(path)).toEqual({ server: "https://203.0.113.10:6443", insecure: false, token: "t" });
  });
});
