import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { covered } from "../covered.ts";
import { Deployment, finished, type Finished, type RunOptions } from "../playbooks/deployment.ts";
import { nodesOf } from "../playbooks/kubernetes.ts";
import type { Event } from "../torture/controller.ts";
import {
  beforeRestart,
  beforeShutdown,
  foreignCluster,
  noNetwork,
  nodeAddress,
  type Obstacle,
} from "./power-obstacles.ts";

const shutdown = { playbook: "harvester-shutdown" };
const restart = { playbook: "harvester-restart" };
let deployment: Deployment;
/** The host after an undisturbed shutdown and restart, and what check mode predicted for each. */
const calm = { off: "", on: "", stops: [] as readonly string[], starts: [] as readonly string[] };

const changed = (tasks: readonly Finished[]): string[] =>
  tasks.flatMap(({ title, outcome }) => (outcome === "changed" ? [title] : []));

/** The host and the definition of its node, without times. */
async function state(): Promise<string> {
  const text = await deployment.inHost(`virsh dumpxml --inactive --security-info harvester-1
virsh domstate harvester-1; virsh dominfo harvester-1 | grep Autostart
stat -c '%n %i %W' /mnt/datadisk1/harvester-data.qcow2; cd /etc
for one in furrow-maintenance furrow-harvester/*; do [ ! -e $one ] || { stat -c '== %n %F %a' $one; cat $one; }; done`);
  return text.replaceAll(/\d{8}-\d{6}|\d{4}-\d\d-\d\dT[\d:.]+Z/g, "(time)");
}

const said = (text: string): string => text.replaceAll(String.raw`\"`, '"');

/** Runs a playbook to its end. Throws an error with the playbook's output if the exit code is not the expected one. */
async function ends(verb: "check" | "run", options: RunOptions, code: number): Promise<readonly Finished[]> {
  const end = await deployment.start(verb, options).ended;
  if (end.code !== code) throw new Error(`${verb} ended with ${end.code}: ${end.text.slice(-4000)}`);
  return finished(end.events);
}

/** Expects a playbook to fail, and its error to name the cause and what to do. */
async function fails(verb: "check" | "run", options: RunOptions, says: Pick<Obstacle, "cause" | "todo">, code = 1) {
  const end = await deployment.start(verb, options).ended;
  expect({ verb, code: end.code, text: said(end.text) }).toEqual({
    verb,
    code,
    text: expect.stringMatching(says.cause) as string,
  });
  expect(said(end.text)).toMatch(says.todo);
}

/**
 * Expects a playbook to be refused because of an obstacle, and then removes the obstacle. Check mode must refuse too,
 * unless it cannot detect the obstacle.
 */
async function refuses(obstacle: Obstacle, book: RunOptions): Promise<void> {
  await obstacle.put(deployment);
  try {
    if (obstacle.isHidden) await ends("check", book, 0);
    else await fails("check", book, obstacle);
    await fails("run", book, obstacle);
  } finally {
    await obstacle.clear(deployment);
  }
}

let shutdowns = 0;

/** Expects the cluster to be off, as after an undisturbed shutdown. */
async function isOff(): Promise<void> {
  expect(await state()).toBe(calm.off);
  // "destroyed" would mean that the node had no time to write its data. A libvirt daemon that was started later does
  // not know the reason.
  expect(await deployment.inHost("virsh domstate --reason harvester-1")).toMatch(/^shut off \((shutdown|unknown)\)$/);
  shutdowns += 1;
}

/** Expects the cluster to be on, as after an undisturbed restart. Each shutdown has taken one etcd snapshot. */
async function isOn(): Promise<void> {
  expect(await state()).toBe(calm.on);
  expect(await nodesOf(deployment.kubeconfig)).toMatchObject([{ name: "harvester-1", ready: true }]);
  const list = await deployment.onNode(nodeAddress, "sudo -n ls /var/lib/rancher/rke2/server/db/snapshots");
  expect(list.split("\n")).toHaveLength(shutdowns);
}

/** Calls `act` once, when the task with this title begins. */
function once(
  title: string,
  act: () => Promise<unknown>,
): { readonly listener: (event: Event) => void; done(): unknown } {
  let acted: Promise<unknown> | undefined;
  const listener = ({ type, task }: Event): void => {
    if (type === "taskStarted" && (task as { title: string }).title === title) acted ??= act();
  };
  return { listener, done: () => acted };
}

beforeAll(async () => {
  deployment = await Deployment.up("deploy-obstacles", 1, "v1.7.1", "inventory/start.ts");
  await deployment.furrow("run");
}, 1_800_000);

afterAll(() => deployment.down(), 600_000);

test("an undisturbed shutdown and restart change only whether the node is running", async () => {
  const before = await state();
  calm.stops = changed(await ends("check", shutdown, 0));
  expect(changed(await ends("run", shutdown, 0))).toEqual(calm.stops);
  calm.off = await state();
  calm.starts = changed(await ends("check", restart, 0));
  expect(changed(await ends("run", restart, 0))).toEqual(calm.starts);
  calm.on = await state();
  expect(calm.on).toBe(before);
  shutdowns = 1;
});

describe("a shutdown", () => {
  test.each(beforeShutdown)("changes nothing while $name", async (obstacle) => {
    const before = await state();
    await refuses(obstacle, shutdown);
    expect(await state()).toBe(before);
    expect(changed(await ends("check", shutdown, 0))).toEqual(calm.stops);
  });

  test("changes nothing while another operator's run holds the host", async () => {
    const before = await state();
    const other = deployment.start("run", restart);
    await other.until((events) => events.some(({ type }) => type === "taskFinished"));
    other.child.kill("SIGSTOP");
    await fails("run", shutdown, { cause: /another run/i, todo: /[Ww]ait|rerun/ }, 75);
    other.child.kill("SIGKILL");
    await other.ended;
    expect(await state()).toBe(before);
  });

  test("says that the node does not react; a rerun finishes once the node reacts", async () => {
    await deployment.onNode(nodeAddress, "sudo -n mv /etc/acpi/PWRF /etc/acpi/PWRF.away");
    const quick = { ...shutdown, vars: ["shutdownSeconds=5"] };
    await fails("run", quick, { cause: /it might not react to ACPI/, todo: /--var powerOff=true/ });
    expect(await state()).toBe(calm.off.replace("\nshut off\n", "\nrunning\n"));
    await deployment.onNode(nodeAddress, "sudo -n mv /etc/acpi/PWRF.away /etc/acpi/PWRF");
    // The cluster still answers, so the rerun asks it again whether anything is running on it, and records the answer.
    expect(changed(await ends("run", shutdown, 0))).toEqual([
      "the check is recorded",
      "node 1 in shutdown order is off",
    ]);
    await isOff();
  });
});

describe("a restart", () => {
  test.each(beforeRestart)("changes nothing while $name", async (obstacle) => {
    const before = await state();
    await refuses(obstacle, restart);
    expect(await state()).toBe(before);
    expect(changed(await ends("check", restart, 0))).toEqual(calm.starts);
  });

  test("leaves the cluster in maintenance while the node's network does not work; a rerun ends the maintenance", async () => {
    await noNetwork.put(deployment);
    await fails("run", { ...restart, vars: ['ready={"times":1,"deadlineSeconds":20}'] }, noNetwork);
    const begun = await state();
    await noNetwork.clear(deployment);
    expect(begun.replace(/ +<link state='down'\/>\n/, "")).toBe(calm.off.replace("\nshut off\n", "\nrunning\n"));
    expect(changed(await ends("run", restart, 0))).toEqual(calm.starts.slice(1));
    await isOn();
  });
});

test("a shutdown whose host can no longer be reached is finished by a rerun", async () => {
  const cut = once("node 1 in shutdown order is off", () =>
    deployment.inHost(`nft -f - <<'END'
table inet cut {
  chain input { type filter hook input priority -300; iifname "host0" tcp dport 22 drop; }
  chain output { type filter hook output priority -300; oifname "host0" tcp sport 22 drop; }
}
END`),
  );
  const lost = { ...shutdown, flags: ["--reconnect-timeout", "5"], listener: cut.listener };
  try {
    await fails(
      "run",
      lost,
      { cause: /E_UNREACHABLE.*the connection was lost/, todo: /rerun|that the host is up/i },
      3,
    );
    await cut.done();
    expect(await deployment.inHost("cat /etc/furrow-harvester/power-order")).toBe("harvester-1");
  } finally {
    await deployment.inHost("nft delete table inet cut");
  }
  // The lost run keeps the host locked until the host notices that nobody is listening.
  await ends("run", { ...shutdown, flags: ["--wait-lock", "900"] }, 0);
  await isOff();
});

test("a restart fails while another cluster has the address; a rerun finishes the restart", async () => {
  const other = once("node 1 in start order is on", () => foreignCluster.put(deployment));
  await fails("run", { ...restart, listener: other.listener }, foreignCluster);
  await other.done();
  expect(await state()).toBe(calm.off.replace("\nshut off\n", "\nrunning\n"));
  await foreignCluster.clear(deployment);
  await ends("run", restart, 0);
  await isOn();
});

test("a forced shutdown says that QEMU does not answer; a rerun finishes the shutdown once QEMU answers", async () => {
  const pid = "$(cat /run/libvirt/qemu/harvester-1.pid)";
  await deployment.inHost(`kill -STOP ${pid}`);
  const forced = { ...shutdown, vars: ["force=true", "skipSnapshot=true"] };
  await fails(
    "run",
    { ...forced, vars: [...forced.vars, "shutdownSeconds=5"] },
    {
      cause: /harvester-1 has not shut down in time; its QEMU does not answer libvirt/,
      todo: /then rerun/,
    },
  );
  await deployment.inHost(`kill -CONT ${pid}`);
  // The guest still gets the shutdown request that QEMU had not yet processed.
  for (let tries = 0; tries < 300 && (await deployment.inHost("virsh domstate harvester-1")) !== "shut off"; tries += 1)
    await sleep(1000);
  await ends("run", forced, 0);
  // A forced shutdown without a snapshot records neither a snapshot nor a check.
  const records = /== furrow-harvester\/(?:etcd-snapshot|shutdown-checked).*\n.*(?:\n|$)/g;
  expect(await state()).toBe(calm.off.replaceAll(records, "").trim());
  covered(
    `${beforeShutdown.length + 4} obstacles to a shutdown and ${beforeRestart.length + 2} to a restart of a real node`,
  );
});
