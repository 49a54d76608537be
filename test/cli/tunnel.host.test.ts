import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { playbookOf, Screens } from "../screens/screens.ts";
import { makeKey, publicKey, removeFolders, startSshd, temporaryFolder, type Sshd } from "../transport/sshd.ts";
import { folderWith, processesWith } from "../transport/ssh/tunnels/programs.ts";

const here = new Screens("", "");
const key = makeKey(temporaryFolder(), "id");
const programs = folderWith("aws", "gcloud", "session-manager-plugin");
const out = join(here.folder, "out");
const id = "i-0a1b2c3d4e5f60718";
const bin = join(import.meta.dirname, "../../bin/furrow.js");
/**
 * The timeout, in milliseconds, of a test that starts furrow three times, each time with two stand-ins for cloud
 * programs.
 */
const patienceMs = 180_000;
let sshd: Sshd;
let env: Record<string, string>;

beforeAll(async () => {
  sshd = await startSshd({ authorizedKeys: [key] });
  env = {
    PATH: `${programs}:${process.env["PATH"]}`,
    FURROW_TEST_INSTANCES: JSON.stringify({ [id]: sshd.port, "web-2": sshd.port }),
    FURROW_TEST_NODE: process.env["FURROW_TEST_NODE"] ?? process.execPath,
    HOME: here.folder,
    NO_COLOR: "1",
  };
  const hostKey = publicKey(sshd.hostKeys.ed25519);
  here.put("known_hosts", `${id} ${hostKey}\nweb-2.europe-west3-a.c.lab.internal ${hostKey}\n`);
  here.put(
    "inventory.ts",
    `import { inventory } from "furrow";
export default inventory({
  knownHostsFile: "${here.folder}/known_hosts",
  identityFile: "${key}",
  hosts: {
    web1: { address: "10.0.0.1", tunnel: { sessionManager: { instance: "${id}", region: "eu-central-1" } } },
    web2: { address: "10.0.0.1", tunnel: { iap: { instance: "web-2", project: "lab", zone: "europe-west3-a" } } },
    plain: { address: "10.0.0.3", tunnel: { sessionManager: {} } },
  },
});\n`,
  );
  const content = `{ path: \`${out}-\${host.name}\`, content: "hello\\n" }`;
  here.put("site.ts", playbookOf(`file(${content}),`).replace("() =>", "({ host }) =>"));
  const slow = `command({ command: "echo begun; sleep 4; echo ended >>${out}-slow", always: true, disturbs: [] }),`;
  here.put("slow.ts", playbookOf(slow, { imports: "command" }));
});
afterAll(async () => {
  await sshd.stop();
  removeFolders();
  here.remove();
});

const furrow = (...args: string[]): ReturnType<Screens["run"]> =>
  here.run([...args, "-i", "inventory.ts", "--no-types"], env);

it(
  "checks, runs and reruns two hosts that have no public address, each through its cloud",
  async () => {
    const both = ["site.ts", "--limit", "web1,web2"];
    const check = await furrow("check", ...both);
    expect(check.text).toContain("2 would change");
    expect(existsSync(`${out}-web1`)).toBe(false);
    const first = await furrow("run", ...both);
    expect(first.text).toContain("2 changed, 0 ok on 2 hosts");
    expect([`${out}-web1`, `${out}-web2`].map((path) => readFileSync(path, "utf8"))).toEqual(["hello\n", "hello\n"]);
    const second = await furrow("run", ...both);
    expect(second.text).toContain("0 changed, 2 ok on 2 hosts");
    expect([check.code, first.code, second.code]).toEqual([0, 0, 0]);
    await expect.poll(() => processesWith(`${id}|web-2`), { timeout: 120_000 }).toEqual([]);
  },
  patienceMs,
);

it("waits for machines that are not in the inventory, through their clouds and through a jump host", async () => {
  here.put(
    "waiting.ts",
    `import { inventory } from "furrow";
export default inventory({
  hosts: {
    local: { transport: "local" },
    gate: { address: "127.0.0.1", port: ${sshd.port}, identityFile: "${key}", hostKeyPolicy: "off" },
  },
});\n`,
  );
  const tasks = `waitFor({ port: 22, tunnel: { sessionManager: { instance: "${id}" } } }),
waitFor({ port: 22, tunnel: { iap: { instance: "web-2", project: "lab", zone: "europe-west3-a" } } }),
waitFor({ port: ${sshd.port}, address: "127.0.0.1", proxyJump: "gate" }),`;
  here.put("waits.ts", playbookOf(tasks, { imports: "waitFor" }));
  const wait = (...words: string[]): ReturnType<Screens["run"]> =>
    here.run([...words, "-i", "waiting.ts", "--limit", "local", "--no-types"], env);
  const check = await wait("check", "waits.ts", "-v");
  expect(check.text).toContain(`waitFor port 22 on ${id} through Session Manager`);
  expect(check.text).toContain("3 ok");
  const run = await wait("run", "waits.ts");
  expect(run.text).toContain("0 changed, 3 ok");
  expect([check.code, run.code]).toEqual([0, 0]);
});

it("reports the program's last output as the reason why a machine is not reached, and does not wait if waiting cannot help", async () => {
  const call = `waitFor({ port: 22, tunnel: { sessionManager: { instance: "${id}" } }, deadlineSeconds: 600 }),`;
  here.put("denied.ts", playbookOf(call, { imports: "waitFor" }));
  const { text, code } = await here.run(["run", "denied.ts", "-i", "local", "--no-types"], {
    ...env,
    FURROW_TEST_INSTANCES: JSON.stringify({ [id]: "denied" }),
  });
  expect(text).toContain("is not authorized to perform: ssm:StartSession");
  expect(code).not.toBe(0);
});

it("refuses a host that has a tunnel but no instance id, before it queries anything", async () => {
  const { text, code } = await furrow("run", "site.ts", "--limit", "plain");
  expect(text).toContain("plain has a Session Manager tunnel, but no instance id");
  expect(text).toContain("ec2Inventory");
  expect(code).not.toBe(0);
});

it.each(["web1", "web2"])("continues a run on %s whose tunnel ends in the middle of a task", async (host) => {
  const run = start("run", "slow.ts", "-i", "inventory.ts", "--no-types", "--limit", host, "-v");
  await run.begun;
  for (const pid of processesWith(`stand-in-(plugin|gcloud).*(${id}|web-2)`)) process.kill(pid, "SIGKILL");
  expect(await run.ended).toBe(0);
  expect(run.text()).toContain("connection lost");
  expect(run.text()).toMatch(/1 changed/);
  expect(readFileSync(`${out}-slow`, "utf8").trim().split("\n").length).toBe(host === "web1" ? 1 : 2);
});

it("leaves no tunnel program running when furrow itself is killed", async () => {
  const run = start("run", "slow.ts", "-i", "inventory.ts", "--no-types", "--limit", "web1", "-v");
  await run.begun;
  expect(processesWith(`stand-in.*${id}`).length).toBe(2);
  run.child.kill("SIGKILL");
  await run.ended;
  await expect.poll(() => processesWith(id), { timeout: 120_000 }).toEqual([]);
});

function start(...args: string[]) {
  const child = spawn(process.execPath, [bin, ...args], { cwd: here.folder, env, stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  let text = "";
  const begun = new Promise<void>((resolve) => {
    const add = (part: Buffer): void => {
      text += part.toString();
      if (text.includes("| begun")) resolve();
    };
    child.stdout.on("data", add);
    child.stderr.on("data", add);
  });
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  return { child, begun: Promise.race([begun, ended]), ended, text: () => text };
}
