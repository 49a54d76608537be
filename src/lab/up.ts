import { appendFile, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { FurrowError } from "../core/errors.ts";
import { removeLab } from "./down.ts";
import { bootHost, waitForHost } from "./host-boot.ts";
import { describeHost, prepareHost } from "./host.ts";
import { ensureImage } from "./image.ts";
import { type Lab, labVersion } from "./lab.ts";
import { withLock } from "./lock.ts";
import { makeNetwork, nameServers } from "./network.ts";
import { labDirectory, labFiles, labMark, labStateDir } from "./places.ts";
import type { OnProgress } from "./progress.ts";
import { fulfilRequirements } from "./requirements.ts";
import { command } from "./shell.ts";
import { labUsers } from "./users.ts";

/** What a lab shall be. */
export interface LabOptions {
  /** Number of hosts, 1 to 50; they are named `<name>-1`, `<name>-2`, … */
  readonly hosts: number;
  /** The lab's name, of letters, digits and hyphens; default `lab`. Several labs of different names stand side by side. */
  readonly name?: string;
  /** Use the image with libvirt and QEMU installed. A host of the plain image can install and run them too. */
  readonly libvirt?: boolean;
  /** Where images and labs are kept; default as `labStateDir` says. */
  readonly stateDir?: string;
  readonly onProgress?: OnProgress;
}

/**
 * Brings up a lab of throwaway Debian hosts and returns when every one of them takes logins. A lab of the same name,
 * whole or left half made by a killed run, is removed first.
 *
 * @throws FurrowError E_LAB when the machine cannot hold a lab or a host does not boot; nothing is left behind then
 */
export async function labUp(options: LabOptions): Promise<Lab> {
  const name = checkedName(options.name ?? "lab");
  if (!Number.isInteger(options.hosts) || options.hosts < 1 || options.hosts > 50) {
    throw new FurrowError("E_LAB", {
      what: "a lab has 1 to 50 hosts",
      current: `${options.hosts}`,
      expected: "a whole number from 1 to 50",
      hint: "ask for fewer hosts",
    });
  }
  const onProgress = options.onProgress ?? (() => undefined);
  const stateDir = options.stateDir ?? labStateDir();
  await fulfilRequirements(onProgress);
  const image = await ensureImage(options.libvirt === true ? "libvirt" : "plain", stateDir, onProgress);
  const directory = labDirectory(name, stateDir);
  const waiting = () => onProgress("waiting for another process that works on the same lab");
  return withLock(
    directory,
    async () => {
      await removeLab(directory);
      try {
        return await start({ ...options, name, onProgress }, directory, image);
      } catch (error) {
        await removeLab(directory);
        throw error;
      }
    },
    waiting,
  );
}

async function start(
  options: LabOptions & { readonly name: string; readonly onProgress: OnProgress },
  directory: string,
  image: string,
): Promise<Lab> {
  const files = labFiles(directory);
  const draft: Lab = {
    version: labVersion,
    name: options.name,
    status: "starting",
    directory,
    startedAt: Date.now(),
    startedBy: process.pid,
    image: options.libvirt === true ? "libvirt" : "plain",
    bridge: "",
    subnet: "",
    gateway: "",
    identityFile: files.identity,
    knownHostsFile: files.knownHosts,
    users: labUsers,
    hosts: [],
  };
  // Written before anything is made: from here on the lab is listed, and whoever finds it can remove it.
  await save(draft);
  const mark = labMark(directory);
  const network = await makeNetwork(mark);
  await command(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", `furrow ${options.name}`, "-f", files.identity]);
  const authorizedKey = (await readFile(`${files.identity}.pub`, "utf8")).trim();
  const servers = await nameServers();
  const hosts = Array.from({ length: options.hosts }, (_, index) =>
    describeHost(directory, `${options.name}-${index + 1}`, `${network.prefix}.${11 + index}`, []),
  );
  await save({ ...draft, ...pick(network), hosts });
  options.onProgress(`starting ${hosts.length} ${hosts.length === 1 ? "host" : "hosts"}`);
  await Promise.all(
    hosts.map(async (host) => {
      await appendFile(files.knownHosts, await prepareHost(host, image, network, servers, authorizedKey));
      await bootHost(host, network.bridge, mark, []);
      await waitForHost(host, 60);
    }),
  );
  const lab: Lab = { ...draft, ...pick(network), hosts, status: "up" };
  await save(lab);
  return lab;
}

function pick(network: { readonly bridge: string; readonly subnet: string; readonly gateway: string }) {
  return { bridge: network.bridge, subnet: network.subnet, gateway: network.gateway };
}

/** Writes `lab.json` so that a reader sees the old one or the new one, never half of one. */
async function save(lab: Lab): Promise<void> {
  await mkdir(lab.directory, { recursive: true, mode: 0o700 });
  const file = labFiles(lab.directory).description;
  await writeFile(`${file}.new`, `${JSON.stringify(lab, undefined, 2)}\n`);
  await rename(`${file}.new`, join(file));
}

function checkedName(name: string): string {
  if (/^[a-z][a-z0-9-]{0,30}$/.test(name)) return name;
  throw new FurrowError("E_LAB", {
    what: "a lab cannot have this name",
    current: `"${name}"`,
    expected: "a lower-case letter, then up to 30 letters, digits and hyphens",
    hint: "choose another name: its hosts are called after it",
  });
}
