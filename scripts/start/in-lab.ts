import { copyFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { artifactNames } from "../../roles/cluster/cluster.ts";
import { standIns } from "stand-in-node";
import { type Lab, labUp, runInHost, serveArtifacts } from "../../src/lab/index.ts";
import { furrow } from "./furrow.ts";
import { heading, say } from "./words.ts";

const deployment = ["playbooks/harvester.ts", "-i", "inventory/start.ts"];
const gibibyte = 2 ** 30;

/** Runs the demonstration on a lab host with this many data disks; the node uses the first. Returns the exit code. */
export async function startInLab(disks: number): Promise<number> {
  heading("A throwaway host in place of a cloud VM");
  const names = artifactNames("v1.7.1");
  const folder = await standIns(names, say);
  const lab = await labUp({
    name: "start",
    hosts: 1,
    disks,
    diskSizeBytes: 4 * gibibyte,
    replace: true,
    onProgress: say,
  });
  // The server ends when this program ends. With the digests, later checks of the host do not need the server.
  await copyFile(join(folder, "sha512"), join(dirname(lab.identityFile), "sha512"));
  const server = await serveArtifacts(folder, lab.gateway);
  const playbook = [...deployment, "--var", `disks=${JSON.stringify(disksOf(lab).slice(0, 1))}`];
  const env = { FURROW_ARTIFACTS: server.url, FURROW_LAB_NAME: lab.name };
  try {
    heading("Check: what would change on it");
    const check = await furrow(["check", ...playbook], env);
    if (check.code !== 0) return 1;
    heading("Run");
    const run = await furrow(["run", ...playbook], env);
    if (run.code !== 0) return 1;
    await showNode(lab);
    heading("Run again: nothing is left to do");
    const again = await furrow(["run", ...playbook], env);
    if (again.code !== 0 || !/\b0 changed\b/.test(again.output)) return 1;
    showNext(lab);
    return 0;
  } finally {
    await server.close();
    await rm(folder, { recursive: true });
  }
}

/**
 * Prints what the nested node's serial console shows while the node installs itself and boots from its disk, under
 * emulation.
 */
async function showNode(lab: Lab): Promise<void> {
  heading("The nested node, on its serial console");
  const [host] = lab.hosts;
  if (!host) return;
  say(
    "It boots from the network, installs itself, boots from its disk and creates a cluster, all under software emulation.",
  );
  const script =
    "grep -a ^stand-in: /var/log/libvirt/qemu/*-serial.log | tr -d '\\r'; curl -sk -m 2 https://192.168.130.120/ping; true";
  let shown = 0;
  for (let waited = 0; waited < 300; waited += 2) {
    const lines = (await runInHost(host, ["sh", "-c", script])).stdout.split("\n").filter(Boolean);
    const said = lines.filter((line) => line !== "pong");
    for (const line of said.slice(shown)) process.stdout.write(`${line}\n`);
    shown = said.length;
    if (lines.includes("pong")) {
      process.stdout.write("https://192.168.130.120/ping answers: pong\n");
      return;
    }
    await sleep(2000);
  }
  throw new Error("the node did not answer within five minutes; look at /var/log/libvirt/qemu on the host");
}

function disksOf({ hosts: [host] }: Lab): readonly string[] {
  return host?.disks.map(({ path }) => path) ?? [];
}

function showNext(lab: Lab): void {
  const [host] = lab.hosts;
  const [first, second] = disksOf(lab);
  const vars = `--var 'disks=["${first}"]'`;
  const more = `--var 'extraDisks=[{"node":1,"device":"${second}","sizeGiB":1}]'`;
  heading("Where to look next");
  process.stdout.write(
    [
      `log in        ssh -i ${lab.identityFile} -o UserKnownHostsFile=${lab.knownHostsFile} root@${host?.address}`,
      `check it      npx furrow check playbooks/harvester.ts -i inventory/start.ts ${vars}`,
      ...(second === undefined
        ? []
        : [`add a disk    npx furrow check playbooks/harvester-add-disk.ts -i inventory/start.ts ${vars} ${more}`]),
      "the playbook  playbooks/harvester.ts, and its roles in roles/",
      "your own      npx furrow check playbooks/hello.ts -i local",
      "take it down  npm run stop",
      "",
    ].join("\n"),
  );
}
