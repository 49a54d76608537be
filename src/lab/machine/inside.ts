import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { FurrowError } from "../../core/errors.ts";
import type { LabHost } from "../lab.ts";
import { isAlive, namespaceLeader, processStamp } from "./processes.ts";
import { command, type Ended } from "./shell.ts";

/**
 * The keeper process of a host, which runs as long as the host does, including during reboots. Undefined while the host
 * is down.
 */
export async function hostKeeper(host: LabHost): Promise<number | undefined> {
  const keeper = await readFile(join(host.directory, "keeper.pid"), "utf8").catch(() => "");
  const pid = Number(keeper.split(" ")[0]);
  // After the machine reboots, another process may have the same id.
  return keeper !== "" && isAlive(pid) && processStamp(pid) === keeper ? pid : undefined;
}

/** The process on the machine that is PID 1 inside the host; undefined while the host is down or between two boots. */
export async function hostLeader(host: LabHost): Promise<number | undefined> {
  const keeper = await hostKeeper(host);
  return keeper === undefined ? undefined : namespaceLeader(keeper);
}

/**
 * Runs a command inside a host as root by entering the host's namespaces. It uses neither SSH nor a login nor anything
 * else that furrow itself uses, so it gives an independent view of the host.
 *
 * @param argv program and arguments; the program is searched for on the host's usual PATH
 * @param options `allowFailure`: return a non-zero exit code instead of throwing; `input`: the command's stdin
 * @throws FurrowError E_LAB if the host is down or the command fails
 */
export async function runInHost(
  host: LabHost,
  argv: readonly string[],
  options: { readonly allowFailure?: boolean; readonly input?: string } = {},
): Promise<Ended> {
  const leader = await hostLeader(host);
  if (leader === undefined)
    throw new FurrowError("E_LAB", {
      what: "the lab host is not running",
      where: { host: host.name },
      hint: "Start a lab with `furrow lab up`",
    });
  const enter = [
    "nsenter",
    `--target=${leader}`,
    "--mount",
    "--uts",
    "--ipc",
    "--net",
    "--pid",
    "--cgroup",
    "--root",
    "--wd",
  ];
  const environment = [
    "/usr/bin/env",
    "-i",
    "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "HOME=/root",
    "LC_ALL=C",
    "container=systemd-nspawn",
  ];
  return command([...enter, ...environment, ...argv], options);
}
