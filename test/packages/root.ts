import { type ChildProcess, execFile, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { type AptSources, aptSources } from "../../src/lab/image/apt-sources.ts";
import { withLock } from "../../src/lab/lock.ts";
import { labStateDir } from "../../src/lab/places.ts";
import { buildDebs, buildPacmans, buildRpms, makeKeys } from "./build.ts";

const run = promisify(execFile);

/**
 * Packages that the root contains besides Debian's minimum: package managers of other distributions, and tools to build
 * packages for them.
 */
const packages =
  "ca-certificates,zypper,rpm,createrepo-c,dnf,gnupg,procps,pacman-package-manager,libarchive-tools,makepkg,busybox";

/** Debian's rpm uses a separate database for each user; libzypp and every other distribution use this one. */
const setUp = `mkdir -p /etc/rpm; echo '%_dbpath /var/lib/rpm' >/etc/rpm/macros; rm -f /etc/apt/sources.list
${makeKeys}${buildDebs}${buildRpms}${buildPacmans}`;

/**
 * Builds a Debian root with several package managers and repositories for them, once per machine. Returns its
 * directory.
 */
async function ensureRoot(): Promise<string> {
  const sources = await aptSources();
  const recipe = createHash("sha256")
    .update(JSON.stringify([packages, setUp, sources.lines]))
    .digest("hex");
  const root = join(labStateDir(), "..", `package-root-${recipe.slice(0, 12)}`);
  // Test files that run at the same time need the same root.
  await withLock(`package root ${root}`, async () => {
    if (!existsSync(root)) await buildRoot(root, sources);
  });
  return root;
}

async function buildRoot(root: string, sources: AptSources): Promise<void> {
  const draft = `${root}.${process.pid}`;
  await mkdir(join(root, ".."), { recursive: true });
  const apart = ["--mount", "--pid", "--fork", "--mount-proc", "--kill-child"];
  const options = [...sources.options.map((line) => line.replace(/;$/, "")), 'Acquire::Retries "3"'];
  try {
    await run("unshare", [
      ...apart,
      "mmdebstrap",
      "--mode=root",
      "--variant=minbase",
      `--include=${packages}`,
      ...options.map((option) => `--aptopt=${option}`),
      "bookworm",
      draft,
      ...sources.lines,
    ]);
    await run("unshare", [
      ...apart,
      "sh",
      "-ec",
      'mount --rbind /dev "$1/dev"; mount -t proc proc "$1/proc"; exec chroot "$1" sh -ec "$2"',
      "sh",
      draft,
      setUp,
    ]);
    await rename(draft, root);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/**
 * A throwaway copy of the root that exists as long as this process: its mounts are in a namespace that ends with the
 * process.
 */
export interface PackageRoot {
  /** Arguments before a command that make it run inside the root. */
  readonly enter: readonly string[];
  /** Runs a script inside the root. Returns the exit code and everything that the script printed. */
  sh(script: string, ...args: readonly string[]): Promise<{ readonly code: number; readonly output: string }>;
  close(): void;
}

const mounts = `mount -t tmpfs tmpfs /mnt
mkdir /mnt/upper /mnt/work /mnt/root
mount -t overlay overlay -o "lowerdir=$1,upperdir=/mnt/upper,workdir=/mnt/work" /mnt/root
mount --rbind /dev /mnt/root/dev
mount -t proc proc /mnt/root/proc
mount -t tmpfs tmpfs /mnt/root/run
echo ready
exec cat`;

/** Creates a throwaway root that claims to be the distribution `id`, which determines its package manager. */
export async function openPackageRoot(id: "debian" | "opensuse-leap" | "fedora" | "arch"): Promise<PackageRoot> {
  const base = await ensureRoot();
  const holder = spawn(
    "unshare",
    ["--mount", "--pid", "--fork", "--mount-proc", "--kill-child", "sh", "-ec", mounts, "sh", base],
    {
      stdio: ["pipe", "pipe", "inherit"],
    },
  );
  await new Promise((resolve, reject) => {
    holder.stdout.once("data", resolve);
    holder.once("exit", (code) => reject(new Error(`the package root was not mounted: exit code ${code}`)));
  });
  const enter = ["nsenter", `--target=${childOf(holder)}`, "--mount", "--pid", "chroot", "/mnt/root"];
  const root: PackageRoot = {
    enter,
    sh: (script, ...args) => output([...enter, "sh", "-c", script, "sh", ...args]),
    close: () => void holder.stdin.end(),
  };
  const like = id === "opensuse-leap" ? "suse opensuse" : id;
  await root.sh(`printf 'ID=%s\\nID_LIKE="%s"\\nVERSION_ID=1\\n' "$1" "$2" >/etc/os-release`, id, like);
  return root;
}

function childOf(parent: ChildProcess): string {
  return readFileSync(`/proc/${parent.pid}/task/${parent.pid}/children`, "utf8").trim();
}

function output(argv: readonly string[]): Promise<{ code: number; output: string }> {
  const [program = "", ...args] = argv;
  return new Promise((resolve) => {
    const env = { PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", LC_ALL: "C", HOME: "/root" };
    const child = execFile(program, args, { env, maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), output: stdout + stderr });
    });
    child.stdin?.end();
  });
}
