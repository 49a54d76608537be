import { appendFile, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { FurrowError } from "../core/errors.ts";
import { startAptCache } from "./image/apt-cache-start.ts";
import { aptSources } from "./image/apt-sources.ts";
import { markWord } from "./machine/cgroup.ts";
import { makeDisks } from "./machine/disks.ts";
import { removeLab } from "./down.ts";
import { bootHost, waitForHost } from "./machine/host-boot.ts";
import { describeHost, prepareHost } from "./machine/host.ts";
import { ensureImage } from "./image/image.ts";
import { hostLeader } from "./machine/inside.ts";
import { type Lab, type LabHost, labVersion } from "./lab.ts";
import { readLab } from "./list.ts";
import { withLock } from "./lock.ts";
import { makeNetwork, nameServers } from "./machine/network.ts";
import { completeOptions, type LabOptions } from "./options.ts";
import { labDirectory, labFiles, labMark } from "./places.ts";
import { fulfilRequirements } from "./requirements.ts";
import { command, withMark } from "./machine/shell.ts";
import { labUsers } from "./machine/users.ts";

/**
 * Starts a lab of throwaway Debian hosts and returns when all of them accept logins. It first removes what is left of
 * an earlier lab with this name, after a killed run or a reboot of the machine; with `replace`, it also removes a
 * running lab.
 *
 * @throws FurrowError E_LAB if the machine cannot run a lab, a lab with this name is running, or a host does not boot;
 * in that case nothing new is left behind
 */
export async function labUp(wish: LabOptions): Promise<Lab> {
  const options = completeOptions(wish);
  const { name, stateDir, onProgress } = options;
  await fulfilRequirements(onProgress);
  const image = await ensureImage(options.libvirt ? "libvirt" : "plain", stateDir, onProgress);
  const directory = labDirectory(name, stateDir);
  const waiting = () => onProgress("waiting for another process that is working on the same lab");
  return withLock(
    directory,
    async () => {
      if (!options.replace) await refuseRunning(name, stateDir);
      await removeLab(directory);
      try {
        return await withMark(markWord(labMark(directory)), () => start(options, directory, image));
      } catch (error) {
        await removeLab(directory);
        throw error;
      }
    },
    waiting,
  );
}

async function refuseRunning(name: string, stateDir: string): Promise<void> {
  const lab = await readLab(name, stateDir);
  if (lab?.status !== "up") return;
  const leaders = await Promise.all(lab.hosts.map(hostLeader));
  const running = leaders.filter((leader) => leader !== undefined).length;
  if (running === 0) return;
  throw new FurrowError("E_LAB", {
    what: `the lab "${name}" is already up`,
    current: `${running} running ${running === 1 ? "host" : "hosts"}, started ${new Date(lab.startedAt).toISOString()}`,
    expected: "no running lab with this name",
    hint: `Remove it with \`furrow lab down --name ${name}\`, or give the new one another name`,
  });
}

async function start(options: Required<LabOptions>, directory: string, image: string): Promise<Lab> {
  const files = labFiles(directory);
  const draft: Lab = {
    version: labVersion,
    name: options.name,
    status: "starting",
    directory,
    startedAt: Date.now(),
    startedBy: process.pid,
    image: options.libvirt ? "libvirt" : "plain",
    bridge: "",
    subnet: "",
    gateway: "",
    identityFile: files.identity,
    knownHostsFile: files.knownHosts,
    users: labUsers,
    hosts: [],
  };
  // The draft is saved before anything is created: from here on, the lab is listed and can be removed.
  await save(draft);
  const mark = labMark(directory);
  const network = await makeNetwork(mark);
  await command(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", `furrow ${options.name}`, "-f", files.identity]);
  const authorizedKey = (await readFile(`${files.identity}.pub`, "utf8")).trim();
  const servers = await nameServers();
  await startAptCache({ mark, gateway: network.gateway, directory }, options.stateDir, await aptSources());
  options.onProgress(`starting ${options.hosts} ${options.hosts === 1 ? "host" : "hosts"}`);
  const startHost = async (_: unknown, index: number): Promise<LabHost> => {
    const bare = describeHost(directory, `${options.name}-${index + 1}`, `${network.prefix}.${11 + index}`);
    const disks = await makeDisks(bare.directory, bare.name, options.disks, options.diskSizeBytes);
    const host = { ...bare, disks };
    await appendFile(files.knownHosts, await prepareHost(host, image, network, servers, authorizedKey));
    await bootHost(host, network.bridge, mark);
    await waitForHost(host, 60);
    return host;
  };
  const hosts = await allEnded(Array.from({ length: options.hosts }, startHost));
  const { bridge, subnet, gateway } = network;
  const lab: Lab = { ...draft, bridge, subnet, gateway, hosts, status: "up" };
  await save(lab);
  return lab;
}

/**
 * Like Promise.all, but waits for all promises before it throws, because a host that is still starting could not be
 * removed.
 */
async function allEnded<T>(work: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(work);
  return Promise.all(work);
}

/** Writes `lab.json` atomically, so a reader never sees a partly written file. */
async function save(lab: Lab): Promise<void> {
  await mkdir(lab.directory, { recursive: true, mode: 0o700 });
  const file = labFiles(lab.directory).description;
  await writeFile(`${file}.new`, `${JSON.stringify(lab, undefined, 2)}\n`);
  await rename(`${file}.new`, file);
}
