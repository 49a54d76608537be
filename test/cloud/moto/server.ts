import { type ChildProcess, execFile, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { withAptCache } from "../../../src/lab/image/apt-cache-start.ts";
import { type AptSources, aptSources, labRelease } from "../../../src/lab/image/apt-sources.ts";
import { labStateDir } from "../../../src/lab/places.ts";
import { fulfilRequirements } from "../../../src/lab/requirements.ts";

const run = promisify(execFile);

/** The first release of Debian that has moto. */
const release = "trixie";
const packages = "base-files,python3-moto,python3-flask,python3-flask-cors";

/** Without these settings, moto launches a machine with any type, image and key that are not empty. */
const strict = {
  MOTO_EC2_ENABLE_INSTANCE_TYPE_VALIDATION: "true",
  MOTO_ENABLE_KEYPAIR_VALIDATION: "true",
  MOTO_ENABLE_AMI_VALIDATION: "true",
};

/** The options for separate namespaces; processes and mounts end together with their namespace. */
const apart = ["--mount", "--pid", "--fork", "--mount-proc", "--kill-child"];

/** A running moto server, a third-party fake of AWS. */
export interface Moto {
  readonly url: string;
  close(): void;
}

/** Starts a moto server on a free port on 127.0.0.1. Its Debian root is built once per machine. Needs root. */
export async function startMoto(): Promise<Moto> {
  const root = await ensureRoot();
  const port = await freePort();
  // The server ends when its stdin is closed.
  const inside = `mount --rbind /dev "$0/dev" && mount -t proc proc "$0/proc" && exec 3<&0 || exit
    chroot "$0" "$@" & server=$!
    (cat <&3 >/dev/null; kill -9 $server) & wait $server`;
  const server = ["/usr/bin/python3", "/usr/bin/moto_server", "-H", "127.0.0.1", "-p", String(port)];
  const env = { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", LC_ALL: "C.UTF-8", HOME: "/root", ...strict };
  const child = spawn("unshare", [...apart, "sh", "-c", inside, root, ...server], {
    env,
    stdio: ["pipe", "ignore", "pipe"],
  });
  const url = `http://127.0.0.1:${port}`;
  await answers(url, child);
  return { url, close: () => void child.stdin.end() };
}

async function answers(url: string, child: ChildProcess): Promise<void> {
  let said = "";
  child.stderr?.on("data", (part: Buffer) => (said = (said + part.toString()).slice(-4000)));
  for (;;) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`moto has ended: ${said}`);
    const answer = await fetch(`${url}/moto-api/data.json`).catch(() => undefined);
    if (answer?.ok === true) return;
    await sleep(100);
  }
}

/** Builds a Debian root with moto unpacked in it, if it does not exist yet. Returns its directory. */
async function ensureRoot(): Promise<string> {
  await fulfilRequirements(() => undefined);
  const sources = laterRelease(await aptSources());
  const recipe = createHash("sha256")
    .update(JSON.stringify([packages, sources.lines]))
    .digest("hex");
  const root = join(labStateDir(), "..", `moto-root-${recipe.slice(0, 12)}`);
  if (existsSync(root)) return root;
  const draft = `${root}.${process.pid}`;
  await mkdir(join(root, ".."), { recursive: true });
  const options = ['Acquire::Retries "3"', ...sources.options.map((line) => line.replace(/;$/, ""))];
  try {
    await withAptCache(labStateDir(), sources, (proxy) =>
      run("unshare", [
        ...apart,
        "mmdebstrap",
        "--mode=root",
        // Unpacking is enough to run moto, and takes a third of the time that an installation takes.
        "--variant=extract",
        `--include=${packages}`,
        ...[...options, `Acquire::http::Proxy "${proxy}"`].map((option) => `--aptopt=${option}`),
        release,
        draft,
        ...sources.lines,
      ]),
    );
    // The package's script that creates the CA bundle does not run when the package is only unpacked.
    const bundle = 'cat "$0"/usr/share/ca-certificates/mozilla/*.crt >"$0/etc/ssl/certs/ca-certificates.crt"';
    await run("sh", ["-c", bundle, draft]);
    await rename(draft, root);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return root;
}

/** The apt sources for the later release, from the same mirrors. */
function laterRelease(sources: AptSources): AptSources {
  const main = sources.lines.filter((line) => line.split(" ").includes(labRelease));
  return { ...sources, lines: main.map((line) => line.replace(` ${labRelease} `, ` ${release} `)) };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => void server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => void server.close(done));
  return port;
}
