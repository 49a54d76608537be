import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { AnsweringServer, missing, type Said } from "../../../../test/kube/server/answering-server.ts";
import { KubeletStandIn, statusOf, tell } from "../../../../test/kube/server/kubelet-stand-in.ts";
import { RanCommand } from "../../../core/host/driver.ts";
import { secretOf } from "../../../core/secrets/secret.ts";
import { kubeRun, kubeTried } from "../../../facts/controller/kube-exec.ts";
import { kubernetesDriverWith } from "../../kubernetes.ts";

const server = new AnsweringServer();
const kubelet = new KubeletStandIn();
const driver = kubernetesDriverWith({ requestMs: 30_000, deadlineMs: 60_000, pauseMs: 10 });
const signal = new AbortController().signal;
const cluster = { kubeconfig: server.kubeconfig };
const target = { namespace: "shop", pod: "web-1", uid: "u1", container: "nginx" };
const podPath = "GET /api/v1/namespaces/shop/pods/web-1";

const pod = (name: string, own: object = {}) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "shop", uid: "u1", ...own },
  spec: { containers: [{ name: "nginx" }] },
});
const ok = (body: object): Said => ({ status: 200, body });

beforeAll(async () => {
  await server.up();
  server.attach(kubelet);
});
afterAll(() => {
  kubelet.down();
  server.down();
});
beforeEach(() => {
  server.reset();
  server.said = { [podPath]: [ok(pod("web-1"))] };
  kubelet.asked.length = 0;
  kubelet.odd = undefined;
  kubelet.protocols = ["v5.channel.k8s.io", "v4.channel.k8s.io"];
});

const shell = (code: string, ...args: string[]): string[] => ["sh", "-c", code, "sh", ...args];

interface More {
  readonly stdin?: string;
  readonly okExit?: readonly number[];
  readonly deadlineSeconds?: number;
}

/** Runs a command in the pod. Returns the step's result. */
async function run(argv: readonly string[], { okExit = [0], deadlineSeconds = 60, stdin }: More = {}, by = signal) {
  const step = kubeRun(cluster, target, { argv, okExit, deadlineSeconds, stdin }, "the command in web-1");
  const value = await driver.call?.(step.request, by);
  if (!(value instanceof RanCommand)) throw new Error("it did not run", { cause: value });
  return value.result;
}

async function failureOf(
  running: Promise<unknown>,
): Promise<{ readonly code: string; readonly [name: string]: unknown }> {
  const error = await running.then(
    () => new Error("it did not fail"),
    (thrown: unknown) => thrown,
  );
  const { code, failure } = error as { code: string; failure: Readonly<Record<string, unknown>> };
  return { code, ...failure };
}

describe("a command in a container", () => {
  test("gets its arguments unchanged, and its output comes back in two streams", async () => {
    const result = await run(shell('printf "%s|" "$@"; echo to stderr >&2', "a b", "", "ü&?=%"));
    expect(result).toEqual({
      exitCode: 0,
      stdout: "a b||ü&?=%|",
      stderr: "to stderr\n",
      value: { pod: "web-1", container: "nginx" },
    });
    expect(kubelet.asked).toMatchObject([{ path: "/api/v1/namespaces/shop/pods/web-1/exec", hasStdin: false }]);
  });

  test("fails with its exit code and the end of its output, unless the code means success", async () => {
    const code = "seq 1 30; echo no >&2; exit 3";
    const failed = await failureOf(run(shell(code)));
    expect(failed).toMatchObject({
      code: "E_STEP",
      what: "the command in web-1 failed",
      current: "exit code 3",
      expected: "exit code 0",
    });
    expect(failed["details"]).toEqual([...Array.from({ length: 12 }, (_, at) => String(at + 19)), "no"]);
    expect((await run(shell(code), { okExit: [0, 3] })).exitCode).toBe(3);
  });

  test("gets its whole stdin, including secrets, and then end-of-file", async () => {
    const secret = secretOf("s3cret word", "word");
    const stdin = `${"x".repeat(200_000)}\n${secret}\n`;
    const result = await run(shell("tr -d x; echo end"), { stdin });
    expect(result.stdout).toBe("\ns3cret word\nend\n");
  });

  test("with stdin is not started on a server that cannot close stdin", async () => {
    kubelet.protocols = ["v4.channel.k8s.io"];
    const failed = await failureOf(run(["cat"], { stdin: "yes" }));
    expect(failed).toMatchObject({
      code: "E_DRIVER",
      current: expect.stringContaining("older than Kubernetes 1.30") as string,
    });
    expect(kubelet.asked).toEqual([]);
    // A command without stdin runs.
    expect((await run(["echo", "yes"])).stdout).toBe("yes\n");
    expect(kubelet.asked[0]?.protocol).toBe("v4.channel.k8s.io");
  });

  test("that prints too much: only the end of the output is kept, and the result says so", async () => {
    const { stdout, cut } = await run(shell("seq 1 200000"));
    expect(cut).toEqual(["stdout"]);
    expect(stdout).toMatch(/^\(only the last 256 KiB are kept\)\n/);
    expect(stdout).toMatch(/\n199999\n200000\n$/);
    expect(stdout.length).toBeLessThan(270_000);
  });

  test("that does not exist in the container is not reported as one that failed", async () => {
    const failed = await failureOf(run(["no-such-program"]));
    expect(failed).toMatchObject({
      code: "E_DRIVER",
      current: expect.stringContaining("not found in $PATH") as string,
    });
    const tried = kubeTried(cluster, target, { argv: ["no-such-program"], deadlineSeconds: 60 });
    expect(await failureOf(driver.read(tried.request, signal))).toMatchObject({ code: "E_DRIVER" });
  });

  test("that changes nothing reports its exit code", async () => {
    for (const exitCode of [0, 1, 255]) {
      const argv = shell(`exit ${exitCode}`);
      expect(await driver.read(kubeTried(cluster, target, { argv, deadlineSeconds: 60 }).request, signal)).toEqual({
        exitCode,
      });
    }
  });

  test("is not sent to a pod that was re-created, or is gone", async () => {
    server.said[podPath] = [ok(pod("web-1", { uid: "u2" }))];
    expect(await failureOf(run(["true"]))).toMatchObject({
      code: "E_DRIVER",
      current: "Pod web-1 was re-created in the meantime",
    });
    server.said[podPath] = [missing("web-1", "pods")];
    expect(await failureOf(run(["true"]))).toMatchObject({ code: "E_DRIVER", current: "Pod web-1 is gone" });
    expect(kubelet.asked).toEqual([]);
  });

  test("is left alone at the deadline, and the error says that it may still be running", async () => {
    const failed = await failureOf(run(shell("sleep 3"), { deadlineSeconds: 1 }));
    expect(failed).toMatchObject({
      code: "E_TIMEOUT",
      what: "the command in web-1 did not end within 1 s",
      current: expect.stringContaining("may still be running") as string,
    });
  });

  test("is left alone when the run is interrupted", async () => {
    const stop = new AbortController();
    const running = run(shell("sleep 3"), {}, stop.signal);
    await expect.poll(() => kubelet.asked.length).toBe(1);
    stop.abort(new Error("enough"));
    await expect(running).rejects.toThrow("enough");
  });

  test.each<[string, readonly (readonly [number, string])[] | undefined]>([
    ["closes without a status", []],
    ["breaks off", undefined],
    ["sends half a status", [[3, statusOf(0).slice(0, 9)]]],
    [
      "sends no status at all",
      [
        [3, "done"],
        [1, "ok"],
      ],
    ],
  ])("has an unknown result if the server %s", async (_what, said) => {
    kubelet.odd = (socket) => {
      for (const [stream, data] of said ?? []) tell(socket, stream, data);
      if (said === undefined) socket.terminate();
      else socket.close(1000);
    };
    expect(await failureOf(run(["true"]))).toMatchObject({
      code: "E_DRIVER",
      current: expect.stringMatching(/^it may have run: /) as string,
    });
    expect(kubelet.asked).toHaveLength(1);
  });

  test.each([
    ["no exit code", { status: "Failure", reason: "NonZeroExitCode", message: "odd" }],
    [
      "exit code 0",
      {
        status: "Failure",
        reason: "NonZeroExitCode",
        message: "odd",
        details: { causes: [{ reason: "ExitCode", message: "0" }] },
      },
    ],
    ["another reason", { status: "Failure", reason: "Timeout", message: "odd" }],
  ])("has not succeeded if the server reports that it failed with %s", async (_what, said) => {
    kubelet.odd = (socket) => {
      tell(socket, 3, JSON.stringify(said));
      socket.close(1000);
    };
    expect(await failureOf(run(["true"]))).toMatchObject({ code: "E_DRIVER", current: "odd" });
  });

  test("can report its success in a status that arrives in two parts; unknown streams are ignored", async () => {
    kubelet.odd = (socket) => {
      tell(socket, 7, "?");
      tell(socket, 1, "out");
      tell(socket, 3, statusOf(0).slice(0, 9));
      tell(socket, 3, statusOf(0).slice(9));
      socket.close(1000);
    };
    expect(await run(["true"])).toMatchObject({ exitCode: 0, stdout: "out" });
  });

  test("is sent again with another credential if the server does not accept the first", async () => {
    const kubeconfig = join(server.folder, "exec");
    const config = JSON.parse(readFileSync(server.kubeconfig, "utf8")) as { users: { user: object }[] };
    const starts = join(server.folder, "exec.starts");
    const v1 = "client.authentication.k8s.io/v1";
    const credential = JSON.stringify({ kind: "ExecCredential", apiVersion: v1, status: { token: "token-N" } });
    writeFileSync(
      join(server.folder, "exec-login"),
      `#!/bin/sh\necho >> ${starts}\necho '${credential}' | sed "s/N/$(wc -l < ${starts})/"\n`,
      { mode: 0o755 },
    );
    config.users[0]!.user = { exec: { apiVersion: v1, command: "./exec-login", interactiveMode: "Never" } };
    writeFileSync(kubeconfig, JSON.stringify(config));
    kubelet.protocols = [];
    const step = kubeRun({ kubeconfig }, target, { argv: ["true"], okExit: [0], deadlineSeconds: 60 }, "it");
    expect(await failureOf(driver.call!(step.request, signal))).toMatchObject({ code: "E_DRIVER" });
    expect(readFileSync(starts, "utf8")).toHaveLength(1);
    kubelet.refusal = "401 Unauthorized";
    expect(await failureOf(driver.call!(step.request, signal))).toMatchObject({
      current: expect.stringContaining("HTTP 401") as string,
    });
    expect(readFileSync(starts, "utf8")).toHaveLength(2);
    rmSync(starts);
  });
});
