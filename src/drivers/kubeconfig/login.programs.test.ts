import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { AnsweringServer, status } from "../../../test/kube/server/answering-server.ts";
import type { Driver } from "../../core/host/driver.ts";
import { knownSecrets } from "../../core/secrets/secret.ts";
import { kubernetesDriverWith } from "../kubernetes.ts";

const server = new AnsweringServer();
const signal = new AbortController().signal;
const kubeconfig = join(server.folder, "sub", "config");
const v1 = "client.authentication.k8s.io/v1";
const found = { status: 200, body: { kind: "Node" } };
const unauthorized = status(401, { reason: "Unauthorized", message: "Unauthorized" });
let test_ = 0;

const driverWith = (loginMs: number): Driver =>
  kubernetesDriverWith({ requestMs: 30_000, deadlineMs: 60_000, pauseMs: 10, loginMs });
const driver = driverWith(60_000);

beforeAll(async () => {
  await server.up();
  mkdirSync(join(server.folder, "sub"));
});
afterAll(() => server.down());
beforeEach(() => {
  server.reset();
  server.said = { "GET /api/v1/nodes/a": [found] };
  test_ += 1;
});

/** The output of a plug-in. */
const credential = (given: object, apiVersion = v1): string =>
  JSON.stringify({ kind: "ExecCredential", apiVersion, status: given });

/**
 * Writes a plug-in with the code `shell`, and a kubeconfig that names it. At each start, the plug-in first adds a line
 * to a file, and sets `$starts` to the number of lines. Returns a function that returns the number of starts so far.
 */
function plugin(shell: string, exec: object = {}, cluster: object = {}): () => number {
  const path = join(server.folder, "sub", `login-${test_}`);
  const count = `${path}.starts`;
  writeFileSync(path, `#!/bin/sh\necho >> ${count}\nstarts=$(wc -l < ${count})\n${shell}\n`);
  chmodSync(path, 0o755);
  const config = JSON.parse(readFileSync(server.kubeconfig, "utf8")) as {
    clusters: { cluster: object }[];
    users: { user: object }[];
  };
  Object.assign(config.clusters[0]!.cluster, cluster);
  const named = { apiVersion: v1, command: `./login-${test_}`, interactiveMode: "IfAvailable", ...exec };
  config.users[0]!.user = { exec: named };
  writeFileSync(kubeconfig, JSON.stringify(config));
  return () => (existsSync(count) ? readFileSync(count, "utf8").length : 0);
}

const print = (text: string): string => `cat <<'END'\n${text}\nEND`;
const read = (by = driver, until = signal): Promise<unknown> => by.read({ kubeconfig, path: "/api/v1/nodes/a" }, until);

/** The reason why a query fails. */
async function failureOf(by = driver): Promise<{ readonly code: string; readonly message: string }> {
  const { error } = (await read(by)) as { readonly error?: { readonly code: string; readonly message: string } };
  if (error === undefined) throw new Error("the question was answered");
  return error;
}

describe("a program that logs in", () => {
  test("provides a token, and is started once for all queries", async () => {
    const starts = plugin(print(credential({ token: "t0ken-of-plugin" })));
    const answers = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(() => read()));
    expect(answers).toEqual(answers.map(() => ({ found: true, object: { kind: "Node" } })));
    await read();
    expect(server.users).toEqual(Array.from({ length: 9 }, () => "token t0ken-of-plugin"));
    expect(starts()).toBe(1);
    expect(knownSecrets()).toContainEqual({ name: "kubeconfig-login", value: "t0ken-of-plugin" });
  });

  test("provides a certificate and its key", async () => {
    const pem = (name: string): string => readFileSync(join(server.folder, name), "utf8");
    const pair = { clientCertificateData: pem("admin.crt"), clientKeyData: pem("admin.key") };
    plugin(print(credential(pair, `${v1}beta1`)), { apiVersion: `${v1}beta1` });
    await read();
    expect(server.users).toEqual(["admin"]);
  });

  test("may print YAML", async () => {
    plugin(print(`apiVersion: ${v1}\nkind: ExecCredential\nstatus:\n  token: from-yaml`));
    await read();
    expect(server.users).toEqual(["token from-yaml"]);
  });

  test("gets its arguments, its variables, nothing on stdin and no terminal", async () => {
    const out = join(server.folder, "told");
    const shell = `{ printf '%s,' "$@"; echo; echo "$PROFILE"; echo "$KUBERNETES_EXEC_INFO"; cat; tty </dev/tty; } >${out} 2>&1`;
    plugin(`${shell}\n${print(credential({ token: "t" }))}`, {
      args: ["get-token", "a b", ""],
      env: [{ name: "PROFILE", value: "shop" }],
    });
    await read();
    const [args, profile, info, ...rest] = readFileSync(out, "utf8").split("\n");
    expect([args, profile]).toEqual(["get-token,a b,,", "shop"]);
    expect(JSON.parse(info ?? "")).toEqual({ kind: "ExecCredential", apiVersion: v1, spec: { interactive: false } });
    expect(rest.join(" ")).toMatch(/\/dev\/tty/);
  });

  test("is told about the cluster if the kubeconfig says so", async () => {
    const out = join(server.folder, "cluster");
    const config = { audience: "shop" };
    const extensions = [
      { name: "other", extension: { a: 1 } },
      { name: "client.authentication.k8s.io/exec", extension: config },
    ];
    const shell = `echo "$KUBERNETES_EXEC_INFO" > ${out}\n${print(credential({ token: "t" }))}`;
    // The CA is in a file here, but the program gets the file's content.
    const ca = { "certificate-authority-data": "", "certificate-authority": "../ca.crt" };
    plugin(shell, { provideClusterInfo: true }, { ...ca, "tls-server-name": "kubernetes", extensions });
    await read();
    const told = JSON.parse(readFileSync(out, "utf8")) as { readonly spec: { readonly cluster: object } };
    expect(told.spec.cluster).toEqual({
      server: expect.stringMatching(/^https:\/\/127\.0\.0\.1:\d+$/) as string,
      "tls-server-name": "kubernetes",
      "certificate-authority-data": readFileSync(join(server.folder, "ca.crt")).toString("base64"),
      config,
    });
  });

  test("is looked up in PATH if its name has no slash, and not in the kubeconfig's folder", async () => {
    plugin(print(credential({ token: "t" })), { command: `login-${test_}`, installHint: "Get it\u001B[31m from\nus" });
    const { code, message } = await failureOf();
    expect(code).toBe("login");
    expect(message).toBe(
      `the program login-${test_}, which the kubeconfig uses to log in, is not in any directory of PATH; the kubeconfig says: Get it from us`,
    );
    expect(server.seen).toEqual([]);
    const before = process.env["PATH"];
    process.env["PATH"] = `.:${join(server.folder, "sub")}:${before}`;
    try {
      await pause(3100);
      await read();
    } finally {
      process.env["PATH"] = before;
    }
    expect(server.users).toEqual(["token t"]);
  });

  test("is run again when its credential has expired, and not before", async () => {
    const at = (ms: number): string => new Date(Date.now() + ms).toISOString();
    const starts = plugin(
      `if [ $starts = 1 ]; then ${print(credential({ token: "old", expirationTimestamp: at(-1000) }))}\nelse ${print(
        credential({ token: "new", expirationTimestamp: at(3_600_000) }),
      )}\nfi`,
    );
    for (let time = 0; time < 3; time += 1) await read();
    expect(server.users).toEqual(["token old", "token new", "token new"]);
    expect(starts()).toBe(2);
  });

  test("is run again, once, when the server does not accept its credential", async () => {
    const starts = plugin(`echo '${credential({ token: "token-NUMBER" })}' | sed "s/NUMBER/$starts/"`);
    server.said["GET /api/v1/nodes/a"] = [unauthorized, found];
    expect(await read()).toMatchObject({ found: true });
    expect(server.users).toEqual(["token token-1", "token token-2"]);
    server.said["GET /api/v1/nodes/a"] = [unauthorized];
    expect(await failureOf()).toMatchObject({ code: "HTTP 401" });
    expect(starts()).toBe(3);
    expect(server.users).toHaveLength(4);
  });

  test("is run again only once if the server does not accept several concurrent requests", async () => {
    const starts = plugin(`echo '${credential({ token: "token-NUMBER" })}' | sed "s/NUMBER/$starts/"`);
    await read();
    const [first, second, third] = ["x", "y", "z"].map((name) => `/api/v1/nodes/${name}`) as [string, string, string];
    for (const path of [first, second, third]) server.said[`GET ${path}`] = [unauthorized, found];
    await Promise.all([first, second, third].map((path) => driver.read({ kubeconfig, path }, signal)));
    expect(starts()).toBe(2);
    expect(server.users.filter((user) => user === "token token-2")).toHaveLength(3);
  });

  const hidden = "s3cret-t0ken-0123456789";
  test.each([
    ["exits with an error", `echo your session is over >&2; exit 1`, "exited with code 1: your session is over"],
    ["prints a token and fails", `echo ${hidden}; echo no ${hidden} >&2; exit 3`, "exited with code 3: no «secret»"],
    ["is killed", `kill -9 $$`, "was killed by SIGKILL"],
    ["prints no credential", `echo ${hidden}`, "printed something that is not an ExecCredential"],
    ["prints nothing", `exit 0`, "printed something that is not an ExecCredential"],
    ["prints another version", print(credential({ token: hidden }, `${v1}beta1`)), `whose apiVersion is not ${v1}`],
    ["prints no status", print(JSON.stringify({ kind: "ExecCredential", apiVersion: v1 })), "without a status"],
    ["prints an empty status", print(credential({})), "with neither a token nor a certificate"],
    ["prints a key only", print(credential({ clientKeyData: hidden })), "a key without its certificate"],
    ["prints a bad pair", print(credential({ clientCertificateData: hidden, clientKeyData: hidden })), "do not match"],
    ["prints a bad time", print(credential({ token: hidden, expirationTimestamp: "soon" })), "expirationTimestamp has"],
    ["prints a token of two lines", print(credential({ token: `${hidden}\nX: y` })), "invalid characters"],
    ["prints too much", `head -c 2000000 /dev/zero`, "printed more than 1 MiB"],
  ])("is a failure that shows stderr and never stdout if it %s", async (_what, shell, says) => {
    plugin(shell);
    const { code, message } = await failureOf();
    expect(code).toBe("login");
    expect(message).toContain(
      `the program ${join(server.folder, "sub", `login-${test_}`)}, which the kubeconfig uses to log in`,
    );
    expect(message).toContain(says);
    expect(message).not.toContain(hidden);
    expect(server.seen).toEqual([]);
  });

  test("can fail, and the message hides the values that the kubeconfig passes to it, even if it prints them, also as base64", async () => {
    plugin(`echo "bad secret $SECRET, $1, \${2#*=} and $LINES_OF, $(printf %s "$SECRET" | base64)" >&2; exit 1`, {
      args: ["s3cret-argument", "--secret=s3cret-option"],
      env: [
        { name: "SECRET", value: "s3cret-variable" },
        { name: "LINES_OF", value: "-----BEGIN\ns3cret-line" },
      ],
    });
    const { message } = await failureOf();
    expect(message).toContain("bad secret «secret», «secret», «secret» and «secret», «secret kubeconfig-login»");
    expect(message).not.toContain("s3cret");
  });

  test("is killed at the deadline, together with everything that it has started", async () => {
    const pid = join(server.folder, "pid");
    plugin(`echo waiting for your browser >&2; sleep 600 & echo $! > ${pid}; wait`);
    const { message } = await failureOf(driverWith(4000));
    expect(message).toContain("did not end within 4 seconds: waiting for your browser");
    await expect.poll(() => isRunning(pid)).toBe(false);
  });

  test("keeps running while anyone is waiting for it, and is killed when nobody is", async () => {
    const [pid, go] = [join(server.folder, "pid2"), join(server.folder, "go")];
    const starts = plugin(
      `echo $$ > ${pid}; until [ -e ${go} ]; do sleep 0.1; done\n${print(credential({ token: "t" }))}`,
    );
    const one = new AbortController();
    const [stopped, other] = [read(driver, one.signal), read()];
    await expect.poll(() => existsSync(pid)).toBe(true);
    one.abort(new Error("enough"));
    await expect(stopped).rejects.toThrow("enough");
    expect(isRunning(pid)).toBe(true);
    writeFileSync(go, "");
    expect(await other).toMatchObject({ found: true });
    expect(starts()).toBe(1);

    rmSync(go);
    rmSync(pid);
    plugin(`echo $$ > ${pid}; until [ -e ${go} ]; do sleep 0.1; done\n${print(credential({ token: "t" }))}`, {
      args: ["2"],
    });
    const alone = new AbortController();
    const only = read(driver, alone.signal);
    await expect.poll(() => existsSync(pid)).toBe(true);
    alone.abort(new Error("enough"));
    await expect(only).rejects.toThrow("enough");
    await expect.poll(() => isRunning(pid)).toBe(false);
    writeFileSync(go, "");
    expect(await read()).toMatchObject({ found: true });
  });

  test("that has worked before may work again, so a wait for the cluster continues after a failure", async () => {
    plugin(
      `[ $starts = 1 ] || { echo no network >&2; exit 1; }\n${print(
        credential({ token: "t", expirationTimestamp: "2020-01-01T00:00:00Z" }),
      )}`,
    );
    await read();
    const see = { see: { kubeconfig, apiVersion: "v1", kind: "ConfigMap", name: "web", namespace: "shop" } };
    const failure = await driver.read(see, signal).catch((error: unknown) => error);
    expect((failure as Error).constructor.name).toBe("NotNow");
    expect(failure).toMatchObject({
      failure: {
        current: expect.stringContaining("exited with code 1: no network") as string,
        hint: expect.stringMatching(/^Run a kubectl command/) as string,
      },
    });
  });
});

function isRunning(pidFile: string): boolean {
  const pid = readFileSync(pidFile, "utf8").trim();
  // A process that has ended but has not been waited for yet is in state Z.
  return /^[^Z]/.test(execFileSync("sh", ["-c", `ps -o stat= -p ${pid} || echo Z`], { encoding: "utf8" }));
}
