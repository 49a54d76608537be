import { spawn } from "node:child_process";
import { once } from "node:events";
import { open } from "node:fs/promises";
import { extname, join } from "node:path";
import { type AptSources, mirrorsOf } from "./apt-sources.ts";
import { aptCache } from "./apt-cache.ts";
import { markWord } from "../machine/cgroup.ts";

/** The port of a lab's apt cache, on the lab's gateway address. */
export const aptCachePort = 3142;

/** The folder of cached packages, shared by all labs in a state directory. */
export function aptCacheDir(stateDir: string): string {
  return join(stateDir, "apt-cache");
}

/** Starts a lab's apt cache as a process that outlives this one and is killed with the lab. */
export async function startAptCache(
  lab: { readonly mark: string; readonly gateway: string; readonly directory: string },
  stateDir: string,
  sources: AptSources,
): Promise<void> {
  const program = join(import.meta.dirname, `apt-cache-process${extname(import.meta.filename)}`);
  const argv = [
    program,
    `--lab=${markWord(lab.mark)}`,
    `--address=${lab.gateway}`,
    `--port=${aptCachePort}`,
    `--cache=${aptCacheDir(stateDir)}`,
  ];
  argv.push(...mirrorsOf(sources).map((mirror) => `--mirror=${mirror}`));
  if (sources.proxy !== undefined) argv.push(`--upstream=${sources.proxy}`);
  const log = await open(join(lab.directory, "apt-cache.log"), "a");
  const child = spawn(process.execPath, argv, { detached: true, stdio: ["ignore", log.fd, log.fd] });
  await once(child, "spawn");
  child.unref();
  await log.close();
}

/** Runs `work` with the URL of an apt cache that listens on the loopback interface until `work` ends. */
export async function withAptCache<T>(
  stateDir: string,
  sources: AptSources,
  work: (proxy: string) => Promise<T>,
): Promise<T> {
  const server = aptCache({ cacheDir: aptCacheDir(stateDir), mirrors: mirrorsOf(sources), upstream: sources.proxy });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  try {
    return await work(`http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
