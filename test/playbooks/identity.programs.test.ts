import { expect, test, vi } from "vitest";
import destroy from "../../playbooks/harvester-destroy.ts";
import harvester from "../../playbooks/harvester.ts";
import shutdown from "../../playbooks/harvester-shutdown.ts";
import { bootScript } from "../../roles/boot-server/templates.ts";
import { clusterSchema } from "../../roles/cluster/cluster.ts";
import { serverEdit } from "../../roles/kubeconfig/node-kubeconfig.ts";
import { certificateDigest } from "../../src/core/host/certificate-digest.ts";
import { absent, type Json, type Playbook } from "../../src/authoring.ts";
import { simulate, type SimulatedState } from "../../src/testing/index.ts";
import { answersOf, nodeOf } from "../guards/examples.ts";
import { artifacts, distributions, emptyHost } from "./empty-host.ts";

const vars = {
  size: { processors: 1, memoryMiB: 512, diskGiB: 2 },
  emulation: "software",
  disks: ["/dev/disk/by-id/a"],
  token: "the first token",
  password: "the first password",
  artifacts,
  kubeconfig: { to: "/nonexistent/kubeconfig" },
};
const authority = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
const ca = certificateDigest(authority) ?? "";

/** Answers in place of the web servers of the host and its node. */
function answer(request: Json): object {
  const { url } = request as { readonly url: string };
  const body = url.endsWith("/ping")
    ? "pong"
    : url.endsWith("/cacerts")
      ? authority
      : bootScript(clusterSchema.parse(vars));
  return { status: 200, headers: {}, body };
}

/** The ports of the node answer from the start, because the simulation does not wait. */
const empty = {
  ...emptyHost(distributions.debian),
  "port:192.168.130.11 22 virbr1": { open: true },
  "port:192.168.130.120 9345 virbr1": { open: true },
  "port:192.168.130.120 9345": { open: true },
  "port:192.168.130.11 22": { open: true },
  "unit:libvirtd.service": { state: "started" as const, enabled: true },
  "unit:nginx.service": { state: "started" as const, enabled: true },
  "unit:harvester-expose-443.service": { state: "stopped" as const, enabled: false },
  "unit:harvester-expose-6443.service": { state: "stopped" as const, enabled: false },
  "group:www-data": { gid: 33 },
  "file:/etc/nginx": { type: "directory" as const },
  "file:/boot/ipxe.efi": { type: "file" as const, text: "iPXE" },
  "file:/usr/bin/socat": { type: "file" as const, text: "socat" },
};
const image = "diskImage:/mnt/datadisk1/harvester-data.qcow2";

// Some tests run several whole deployments.
vi.setConfig({ testTimeout: 60_000 });

const kubeconfig = "/etc/rancher/rke2/rke2.yaml";
const through = ["sed", "-e", serverEdit("metal")];
/** The node, as furrow finds it when it fetches the kubeconfig. */
const node = {
  [`file:${kubeconfig}`]: { text: "server: https://127.0.0.1:6443\n" },
  [`filtered:${JSON.stringify({ path: kubeconfig, through })}`]: { seal: "sealed:1" },
};

/** Answers in place of the cluster's API, which has nodes and no settings. */
function kubernetesAnswer(request: Json, names: readonly string[]): object {
  const { path } = request as { readonly path: string };
  return path === "/api/v1/nodes" ? answersOf({ nodes: names.map((name) => nodeOf(name)) }).nodes : { found: false };
}

interface Options {
  readonly vars?: object;
  readonly mode?: "apply" | "check";
  /** The cluster to which the kubeconfig on the controller belongs. */
  readonly copy?: object;
  /** The names of the cluster's nodes, according to its API. */
  readonly names?: readonly string[];
}

async function run(
  book: Playbook,
  state: SimulatedState,
  { vars: more, mode = "apply", copy, names = ["harvester-1", "lab-1"] }: Options = {},
) {
  const ended = await simulate(book, {
    hosts: ["metal"],
    vars: { ...vars, ...more },
    state: { metal: state, "harvester-1.metal": node, "lab-1.metal": node },
    drivers: {
      http: answer,
      kubeconfig: (request) => ("hostKeys" in (request as object) ? absent : (copy ?? absent)),
      kubernetes: (request) => kubernetesAnswer(request, names),
    },
    mode,
  });
  const { errors } = ended.result;
  const changed = ended.tasks.filter(({ outcome }) => outcome === "changed").map(({ title }) => title);
  return { ...ended, changed, error: errors[0]?.failure, state: ended.state["metal"] ?? {} };
}

const copy = { server: "https://metal:6443", ca };
/** The host after the first deployment, which runs only once because it takes seconds. */
const deployed = async (): Promise<SimulatedState> => (first ??= deploy());
let first: Promise<SimulatedState> | undefined;

async function deploy(): Promise<SimulatedState> {
  const { error, changed, state } = await run(harvester, empty);
  expect(error).toBeUndefined();
  expect(changed).toContain("fingerprint of harvester-1");
  return state;
}

/** Nothing answers anymore. */
const silent = {
  "port:192.168.130.120 9345 virbr1": { open: false },
  "port:192.168.130.120 9345": { open: false },
};

test("destroy, then deploy with another prefix and token: does not treat the old cluster as part of the new one", async () => {
  const gone = await run(destroy, await deployed(), { copy });
  expect(gone.error).toBeUndefined();
  expect(gone.changed).toContain("kubeconfig /nonexistent/kubeconfig and its host keys are removed");
  const left: SimulatedState = { ...gone.state, ...silent };
  expect(left[image]).toMatchObject({ format: "qcow2" });
  for (const mode of ["check", "apply"] as const) {
    const other = await run(harvester, left, { vars: { prefix: "lab", token: "the second token" }, mode });
    expect(other.changed).toEqual([]);
    expect(other.error).toMatchObject({
      what: expect.stringContaining("the disk images on this host belong to the cluster harvester") as string,
      current: "harvester",
      expected: "lab",
      hint: expect.stringContaining("--var prefix=harvester --var removeDisks=true") as string,
    });
  }
});

test("destroy, then deploy with the same prefix and another token: refuses before anything is changed", async () => {
  const gone = await run(destroy, await deployed());
  const token = await run(harvester, { ...gone.state, ...silent }, { vars: { token: "the second token" } });
  expect(token.changed).toEqual([]);
  expect(token.error?.what).toBe(
    "harvester-1 on this host was installed with a different token, not the one in the vars: it is a node of another cluster",
  );
});

test("destroy, then deploy with the same vars: the cluster on the images starts again", async () => {
  const gone = await run(destroy, await deployed());
  const again = await run(harvester, { ...gone.state, ...empty, ...gone.state });
  expect(again.error).toBeUndefined();
  expect(again.changed).toContain("libvirtDomain harvester-1");
  expect(again.changed).not.toContain("fingerprint of harvester-1");
});

test("destroy, then destroy with removeDisks: the images and the record are gone, and another cluster can be deployed", async () => {
  const kept = await run(destroy, await deployed());
  const wrong = await run(destroy, { ...kept.state, ...silent }, { vars: { removeDisks: true, prefix: "lab" } });
  expect([wrong.changed, wrong.error?.current]).toEqual([[], "harvester"]);
  const onDisk = { "file:/mnt/datadisk1/harvester-data.qcow2": { type: "file" as const } };
  const gone = await run(destroy, { ...kept.state, ...silent, ...onDisk }, { vars: { removeDisks: true } });
  expect(gone.changed).toEqual(["file /mnt/datadisk1/harvester-data.qcow2", "file /etc/furrow-harvester"]);
  const other = await run(
    harvester,
    { ...gone.state, ...empty, [image]: absent },
    { vars: { prefix: "lab", token: "new" } },
  );
  expect(other.error).toBeUndefined();
  expect(other.changed).toContain("fingerprint of lab-1");
});

test("deploy, and a cluster with other node names answers: refuses it, and names it", async () => {
  const { error, changed } = await run(harvester, empty, { names: ["old-1", "old-2"] });
  expect(changed).toContain("fingerprint of harvester-1");
  expect(error?.what).toBe("the cluster at 192.168.130.120 has none of the requested nodes: it is another cluster");
});

test("destroy keeps the kubeconfig for another cluster that happens to be at the same path", async () => {
  const { changed, tasks } = await run(destroy, await deployed(), { copy: { ...copy, ca: "0".repeat(64) } });
  const title = "kubeconfig /nonexistent/kubeconfig and its host keys are removed";
  expect(changed).not.toContain(title);
  expect(tasks.find((task) => task.title === title)?.notes).toEqual([
    "the kubeconfig /nonexistent/kubeconfig stays: it is for another cluster, at https://metal:6443",
  ]);
});

test("shutdown refuses a kubeconfig for another cluster, because it would ask about the wrong machines", async () => {
  const { changed, error } = await run(shutdown, await deployed(), { copy: { ...copy, ca: "0".repeat(64) } });
  expect(changed).toEqual([]);
  expect(error?.what).toContain("the kubeconfig /nonexistent/kubeconfig is for another cluster");
});

test("a second run reports vars that the installer will not read again, and leaves the record alone", async () => {
  const again = await run(harvester, await deployed(), { copy, vars: { ntpServers: ["ntp.example.com"] } });
  expect(again.error).toBeUndefined();
  expect(again.changed).not.toContain("fingerprint of harvester-1");
  const [first] = again.tasks.filter(({ title }) => title === "the cluster is the one that was first deployed here");
  expect(first?.notes[0]).toBe(
    "os.ntp_servers.0 of harvester-1 stays as installed: 0.suse.pool.ntp.org; now requested: ntp.example.com",
  );
});
