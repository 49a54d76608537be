import { cp, mkdir, readdir, rename, rm, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { command } from "../../src/lab/machine/shell.ts";
import { type TreeFile, writeTree } from "../../src/lab/image/tree.ts";
import { inParts, partOf } from "./parts.ts";

/** The folder of the programs that run inside a node, in this repository and in the published package. */
export const guestFolder = join(import.meta.dirname, "guest");

const standIn = "/usr/lib/stand-in";
const python = "/usr/lib/python3.11";

/** The programs and plug-ins of a node; `librariesOf` finds the libraries that they need. */
const programs: readonly string[] = [
  ..."/usr/bin/python3.11 /usr/bin/openssl /usr/bin/sudo /usr/bin/dropbearkey /usr/sbin/dropbear /sbin/mke2fs".split(
    " ",
  ),
  ..."/usr/libexec/sudo/sudoers.so /lib/x86_64-linux-gnu/security/pam_permit.so".split(" "),
  ...["_ssl", "_hashlib", "_json", "_queue", "_contextvars"].map(
    (name) => `${python}/lib-dynload/${name}.cpython-311-x86_64-linux-gnu.so`,
  ),
];

/** The parts of Python that no program on a node imports. */
const unneeded: readonly string[] =
  "test unittest distutils asyncio multiprocessing ctypes curses sqlite3 xml xmlrpc pydoc_data wsgiref zoneinfo venv tomllib lib-dynload turtle.py pydoc.py doctest.py pdb.py".split(
    " ",
  );

const files: Readonly<Record<string, TreeFile>> = {
  "/etc/passwd": {
    text: "root:x:0:0:root:/root:/bin/sh\nrancher:x:1000:1000::/home/rancher:/bin/sh\nnobody:x:65534:65534::/:/bin/false\n",
  },
  "/etc/group": { text: "root:x:0:\nrancher:x:1000:\nnogroup:x:65534:\n" },
  "/etc/shells": { text: "/bin/sh\n" },
  "/etc/sudoers": { text: "Defaults !syslog\nroot ALL=(ALL:ALL) ALL\nrancher ALL=(ALL) NOPASSWD: ALL\n", mode: "0440" },
  "/etc/pam.d/sudo": {
    text: "auth required pam_permit.so\naccount required pam_permit.so\nsession required pam_permit.so\n",
  },
  "/etc/os-release": { text: 'ID=stand-in\nNAME="Stand-in for a Harvester node"\nVERSION_ID=1\n' },
  // busybox's acpid knows the power button by this name.
  "/etc/acpi/PWRF/00000080": { text: "#!/bin/sh\nexec /sbin/poweroff\n", mode: "0755" },
  "/usr/lib/ssl/openssl.cnf": { text: "[req]\ndistinguished_name = name\n[name]\n" },
};

/**
 * Creates a node's root file system in `folder`, for the live and the installed system: busybox, Python, SSH, sudo,
 * openssl, and the compiled programs from `guest/`.
 */
export async function makeUserland(parts: string, folder: string): Promise<void> {
  for (const path of "usr/bin usr/sbin usr/lib usr/lib64 etc dev proc sys run tmp root oem home/rancher".split(" "))
    await mkdir(join(folder, path), { recursive: true });
  for (const name of ["bin", "sbin", "lib", "lib64"]) await symlink(`usr/${name}`, join(folder, name));
  for (const path of [...programs, ...(await librariesOf(parts))]) await copy(parts, path, folder);
  await copy(parts, "/bin/busybox", folder);
  for (const applet of (await inParts(parts, ["/bin/busybox", "--list-full"])).split("\n").filter(Boolean)) {
    await symlink(
      "/bin/busybox",
      join(
        folder,
        "usr",
        applet.startsWith("sbin") || applet.startsWith("usr/sbin") ? "sbin" : "bin",
        applet.split("/").at(-1) ?? "",
      ),
    ).catch(keepOther);
  }
  await rm(join(folder, "usr/sbin/init"), { force: true });
  await symlink("/bin/busybox", join(folder, "usr/sbin/init"));
  await symlink("python3.11", join(folder, "usr/bin/python3"));
  await copyPython(parts, folder);
  await writeTree(folder, files);
  await copyGuest(folder);
  await compile(folder);
}

/** Keeps an existing file: real programs take priority over busybox applets of the same name. */
function keepOther(error: unknown): void {
  if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
}

/** The libraries that all programs need, as the dynamic linker reports them. */
async function librariesOf(parts: string): Promise<string[]> {
  const found = new Set<string>(["/lib64/ld-linux-x86-64.so.2", "/lib/x86_64-linux-gnu/libgcc_s.so.1"]);
  for (const program of programs) {
    const listed = await inParts(parts, ["/lib64/ld-linux-x86-64.so.2", "--list", program]);
    for (const [, path] of listed.matchAll(/=> (\/\S+)/g)) if (path !== undefined) found.add(path);
  }
  return [...found];
}

async function copy(parts: string, path: string, folder: string): Promise<void> {
  const target = join(folder, path.startsWith("/usr") ? path : `/usr${path}`);
  await mkdir(dirname(target), { recursive: true });
  await cp(partOf(parts, path), target, { dereference: true });
  await command(["chmod", "--reference", partOf(parts, path), target]);
}

async function copyPython(parts: string, folder: string): Promise<void> {
  for (const entry of await readdir(partOf(parts, python))) {
    if (unneeded.includes(entry)) continue;
    await cp(partOf(parts, join(python, entry)), join(folder, python, entry), { recursive: true, dereference: true });
  }
  const packages = "/usr/lib/python3/dist-packages";
  for (const name of ["yaml", "_yaml"])
    await cp(partOf(parts, join(packages, name)), join(folder, packages, name), { recursive: true });
}

async function copyGuest(folder: string): Promise<void> {
  await mkdir(join(folder, standIn), { recursive: true });
  for (const entry of await readdir(guestFolder)) await cp(join(guestFolder, entry), join(folder, standIn, entry));
  await rename(join(folder, standIn, "inittab"), join(folder, "etc/inittab"));
  await rm(join(folder, standIn, "init"));
  await mkdir(join(folder, "opt/rke2/bin"), { recursive: true });
  await rename(join(folder, standIn, "rke2"), join(folder, "opt/rke2/bin/rke2"));
  await rename(join(folder, standIn, "journalctl"), join(folder, "usr/bin/journalctl"));
  const scripts = [...["boot", "lease"].map((name) => join(standIn, name)), "opt/rke2/bin/rke2", "usr/bin/journalctl"];
  for (const script of scripts) await command(["chmod", "0755", join(folder, script)]);
}

/** Compiles all Python files, because compiling them at every boot would take seconds under emulation. */
async function compile(folder: string): Promise<void> {
  const places = [python, "/usr/lib/python3/dist-packages", standIn];
  await inParts(folder, ["/usr/bin/python3.11", "-m", "compileall", "-q", "-b", ...places]);
  for (const place of places) await command(["find", join(folder, place), "-name", "*.py", "-delete"]);
}
