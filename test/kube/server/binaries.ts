import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { aptSources } from "../../../src/lab/image/apt-sources.ts";

/** The version of Debian's source package `kubernetes` that the suite builds its API server from. */
export const packageVersion = "1.20.5+really1.20.2-1.1+deb12u1";

/** The programs of an API server. */
export interface Binaries {
  readonly apiServer: string;
  readonly etcd: string;
}

/**
 * Returns the programs, and builds them first if they are not in the cache: no Debian package contains an API server. This
 * takes three minutes of two processors, and much longer on a busy machine. Throws an Error if the build fails.
 */
export async function kubeBinaries(): Promise<Binaries> {
  const cache = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache");
  const folder = join(cache, "furrow", "kube", packageVersion);
  if (!existsSync(folder)) await build(folder);
  return { apiServer: join(folder, "kube-apiserver"), etcd: join(folder, "etcd") };
}

async function build(folder: string): Promise<void> {
  const out = mkdtempSync(join(tmpdir(), "furrow-kube-build-"));
  try {
    await mmdebstrap(out);
    mkdirSync(join(folder, ".."), { recursive: true });
    // Complete or not there: another suite may be building too.
    if (!existsSync(folder)) renameSync(out, folder);
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

const packages = ["ca-certificates", "golang-go", "dpkg-dev", "golang-github-modern-go-reflect2-dev", "etcd-server"];

async function mmdebstrap(out: string): Promise<void> {
  const { lines, options } = await aptSources();
  const sources = lines.flatMap((line) => [line, line.replace(/^deb /, "deb-src ")]);
  const script = join(import.meta.dirname, "build-api-server.sh");
  const hooks = [
    `copy-in ${script} /`,
    `chroot "$1" sh /build-api-server.sh ${packageVersion}`,
    `copy-out /build/kube-apiserver /usr/bin/etcd ${out}`,
  ];
  const argv = [
    "--variant=minbase",
    "--format=null",
    `--include=${packages.join(",")}`,
    ...options.map((option) => `--aptopt=${option}`),
    ...hooks.map((hook) => `--customize-hook=${hook}`),
    "bookworm",
    "/dev/null",
    ...sources,
  ];
  const child = spawn("mmdebstrap", argv, { stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => (said = (said + text).slice(-4000)));
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  if (code !== 0) throw new Error(`the API server cannot be built: mmdebstrap ended with ${code}\n${said}`);
}
