import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { aptSources } from "../../../src/lab/image/apt-sources.ts";
import { buildInRoot } from "./build-in-root.ts";

/** The version of Debian's source package `kubernetes` that the suite builds its API server from. */
export const packageVersion = "1.20.5+really1.20.2-1.1+deb12u1";

/** The programs of an API server. */
export interface Binaries {
  readonly apiServer: string;
  readonly etcd: string;
}

/** The program that serves custom kinds, and the version of the Go packages that it was built from. */
export interface CustomBinary {
  readonly program: string;
  readonly version: string;
}

const cache = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "furrow", "kube");

/**
 * Returns the programs, and builds them first if they are not in the cache: no Debian package contains an API server.
 * This takes three minutes on two processors, and much longer on a busy machine. Throws an Error if the build fails.
 */
export async function kubeBinaries(): Promise<Binaries> {
  const folder = join(cache, packageVersion);
  if (!existsSync(folder)) {
    const { lines, options } = await aptSources();
    await fill(folder, (out) =>
      buildInRoot({
        release: "bookworm",
        sources: lines.flatMap((line) => [line, line.replace(/^deb /, "deb-src ")]),
        options,
        packages: ["ca-certificates", "golang-go", "dpkg-dev", "golang-github-modern-go-reflect2-dev", "etcd-server"],
        script: join(import.meta.dirname, "build-api-server.sh"),
        argument: packageVersion,
        files: ["/build/kube-apiserver", "/usr/bin/etcd"],
        out,
      }),
    );
  }
  return { apiServer: join(folder, "kube-apiserver"), etcd: join(folder, "etcd") };
}

/**
 * Returns the current server for custom kinds, and builds it first if it is not in the cache, which takes ten minutes
 * on two processors. Undefined, with a line on stderr, if it cannot be built here or if `FURROW_KUBE_CUSTOM` is `no`:
 * then custom kinds are served by the old server, which supports neither CEL rules nor strict field validation.
 */
export async function customBinary(): Promise<CustomBinary | undefined> {
  if (process.env["FURROW_KUBE_CUSTOM"] === "no") return undefined;
  const folder = join(cache, "custom-sid");
  const refusal = join(cache, "custom-sid.failed");
  if (!existsSync(folder)) {
    try {
      if (existsSync(refusal)) throw new Error(`${readFileSync(refusal, "utf8")} (remove ${refusal} to try again)`);
      await fill(folder, buildCustom);
    } catch (error) {
      const said = (error as Error).message;
      if (!existsSync(refusal)) writeFileSync(refusal, said);
      process.stderr.write(`Custom kinds are served by the old API server, because the new one is missing: ${said}\n`);
      return undefined;
    }
  }
  return {
    program: join(folder, "apiextensions-apiserver"),
    version: readFileSync(join(folder, "version"), "utf8").trim(),
  };
}

async function buildCustom(out: string): Promise<void> {
  // The newest release comes from this machine's mirror, or else from Debian's.
  const { lines, options } = await aptSources();
  const mirror = /https?:\S+\/debian\/?(?= )/.exec(lines.join("\n"))?.[0] ?? "http://deb.debian.org/debian";
  await buildInRoot({
    release: "sid",
    sources: [`deb ${mirror} sid main`],
    options: [...options, 'Acquire::Check-Valid-Until "false";'],
    packages: ["ca-certificates", "golang-go", "golang-k8s-apiextensions-apiserver-dev", "golang-k8s-apiserver-dev"],
    script: join(import.meta.dirname, "build-custom-server.sh"),
    argument: "",
    files: ["/build/apiextensions-apiserver", "/build/version"],
    out,
  });
}

/** Builds into the folder, or waits for another process that does. The folder exists only once it is complete. */
async function fill(folder: string, build: (out: string) => Promise<void>): Promise<void> {
  mkdirSync(join(folder, ".."), { recursive: true });
  const lock = `${folder}.builder`;
  while (!claim(lock)) {
    await pause(1000);
    if (existsSync(folder)) return;
  }
  const out = mkdtempSync(join(tmpdir(), "furrow-kube-build-"));
  try {
    await build(out);
    // Renaming does not work across file systems.
    cpSync(out, `${folder}.new`, { recursive: true });
    renameSync(`${folder}.new`, folder);
  } finally {
    rmSync(out, { recursive: true, force: true });
    rmSync(lock, { force: true });
  }
}

/** True if this process may build; false while another process, whose id is in the lock, is building. */
function claim(lock: string): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: "wx" });
    return true;
  } catch {
    const builder = existsSync(lock) ? readFileSync(lock, "utf8") : "";
    if (builder === "" || existsSync(`/proc/${builder}`)) return false;
    // The builder was killed.
    rmSync(lock, { force: true });
    return false;
  }
}
