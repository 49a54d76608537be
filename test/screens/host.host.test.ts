import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeUser, removeAccounts } from "../transport/become/accounts.ts";
import { isRoot, makeKey, publicKey, removeFolders, startSshd, type Sshd } from "../transport/sshd.ts";
import { expectOnPage } from "./on-page.ts";
import { playbookOf, Screens, tasksOf } from "./screens.ts";

const screens = new Screens("On a host", "furrow reaches the host, and something there fails or is unusual.");
const user = "furrow-shell";
const full = join(screens.folder, "full");
const frozen = join(screens.folder, "frozen");
let sshd: Sshd;

if (!isRoot) process.stderr.write("skipped without root: screens of hosts (they need users and mounts)\n");

describe.runIf(isRoot)("on a host", () => {
  beforeAll(async () => {
    makeUser(user, "not used");
    const key = makeKey(screens.folder, "id_good");
    sshd = await startSshd({ authorizedKeys: [key], hostKeyTypes: ["ed25519"] });
    screens.put("known_hosts", `[127.0.0.1]:${sshd.port} ${publicKey(sshd.hostKeys.ed25519)}\n`);
    screens.put(
      "inventory.ts",
      `import { inventory } from "furrow";\nexport default inventory({ hosts: { web1: { address: "127.0.0.1", port: ${sshd.port}, identityFile: "id_good", knownHostsFile: "known_hosts" } } });\n`,
    );
    for (const [path, options] of [
      [full, "size=64k"],
      [frozen, "size=64k"],
    ] as const) {
      mkdirSync(path);
      execFileSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", path]);
    }
    writeFileSync(join(full, "ballast"), Buffer.alloc(60 * 1024));
    execFileSync("mount", ["-o", "remount,ro", frozen]);
    screens.steady([full, "/srv/full"], [frozen, "/srv/frozen"], [String(sshd.port), "2222"]);
    // Values that depend on this machine.
    screens.steady([
      /(?<=current +)\/dev\/.*\b[KMGT]iB.*$/gm,
      "/dev/vda (256 GiB, serial root-1); /dev/vdb (1 TiB, serial data-7)",
    ]);
  });
  afterAll(async () => {
    for (const path of [full, frozen]) execFileSync("umount", [path]);
    await sshd?.stop();
    removeAccounts();
    removeFolders();
    screens.remove();
  });

  async function onHost(
    title: string,
    tasks: string,
    options: { imports?: string; verb?: string; flags?: string[]; about?: string } = {},
  ): ReturnType<Screens["play"]> {
    const text = playbookOf(tasks, { imports: options.imports ?? "file" });
    return screens.play({
      title,
      ...(options.about !== undefined && { about: options.about }),
      files: { "site.ts": text },
      show: { "site.ts": tasksOf(text) ?? text },
      args: [options.verb ?? "run", "site.ts", "-i", "inventory.ts", ...(options.flags ?? [])],
    });
  }

  it("A missing command", async () => {
    const seen = await onHost(
      "A command that is not on the host",
      'command({ command: ["helmfile", "apply"], always: true }),',
      { imports: "command", verb: "check" },
    );
    expect(seen.text).toMatch(/helmfile[^]*hint/);
    expect(seen.code).toBe(1);
  });

  it("A command that fails", async () => {
    const seen = await onHost(
      "A command that fails",
      "command({ command: \"echo checking; echo 'no such volume: data' >&2; exit 4\", always: true }),",
      { imports: "command" },
    );
    expect(seen.text).toMatch(/E_STEP[^]*no such volume: data/);
    expect(seen.code).toBe(1);
  });

  it("A full disk", async () => {
    const seen = await onHost(
      "No space left on the host",
      `file({ path: "${full}/big.conf", content: "x".repeat(20_000) }),`,
    );
    expect(seen.text).toMatch(/E_DISK_FULL[^]*\/srv\/full/);
    expect(seen.code).toBe(1);
  });

  it("A read-only file system", async () => {
    const seen = await onHost(
      "A file system that is mounted read-only",
      `file({ path: "${frozen}/site.conf", content: "hello\\n" }),`,
    );
    expect(seen.text).toMatch(/E_READ_ONLY[^]*\/srv\/frozen/);
    expect(seen.code).toBe(1);
  });

  it("A missing package", async () => {
    const seen = await onHost("A package that no repository has", 'pkg({ name: "ngnix-full" }),', { imports: "pkg" });
    expect(seen.text).toMatch(/ngnix-full[^]*hint/);
    expect(seen.code).toBe(1);
  });

  it("A missing disk", async () => {
    const seen = await onHost(
      "A missing disk",
      'disk({ device: "/dev/disk/by-id/virtio-data1", mountPoint: "/srv/data" }),',
      { imports: "disk", verb: "check" },
    );
    expect(seen.code).toBe(1);
  });

  it("Output that is not UTF-8", async () => {
    const seen = await onHost(
      "Output that is not UTF-8",
      String.raw`command({ command: "printf 'caf\\351 \\033[31mred\\033[0m\\n'", always: true }),`,
      {
        imports: "command",
        flags: ["-v"],
        about: "Invalid UTF-8 bytes and terminal control characters are shown as escapes.",
      },
    );
    expect(seen.text).toContain(String.raw`| caf\xe9 \x1b[31mred\x1b[0m`);
    expect(seen.code).toBe(0);
  });

  it("A hundred megabytes of output", async () => {
    const before = Date.now();
    const seen = await onHost(
      "A hundred megabytes of output",
      'command({ command: "yes 0123456789012345678901234567890123456789 | head -c 100000000", always: true }),',
      { imports: "command", about: "No task uses the output, so it is not kept." },
    );
    expect(seen.code).toBe(0);
    expect(seen.stdout.length).toBeLessThan(2000);
    expect(Date.now() - before).toBeLessThan(50_000);
  });

  it("A talkative login", async () => {
    writeFileSync(
      `/home/${user}/.bashrc`,
      'echo "Welcome to $(hostname), authorised use only"\necho "motd on stderr" >&2\nsleep 3\n',
    );
    const seen = await screens.play({
      title: "A shell that prints a banner and starts slowly",
      about: "The user's `.bashrc` prints two lines and sleeps for three seconds.",
      args: ["exec", "web1", "-i", "inventory.ts", "-u", user, "--", "id", "-un"],
    });
    expect(seen.stdout).toBe(`web1  | ${user}\n`);
    expect(seen.code).toBe(0);
  });

  it("the page matches these transcripts", async () => {
    await expectOnPage(screens, "5-host.md");
  });
});
