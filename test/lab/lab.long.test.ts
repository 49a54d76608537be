import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  freshDisk,
  type Lab,
  type LabHost,
  labDown,
  labInventory,
  labList,
  labStateDir,
  labUp,
  powerOff,
  powerOn,
  readLab,
  removeDisk,
  runInHost,
  upperDigest,
  upperTree,
} from "../../src/lab/index.ts";
import { aptCacheDir } from "../../src/lab/image/apt-cache-start.ts";

const name = `selftest-${process.pid}`;
let lab: Lab;

beforeAll(async () => {
  lab = await labUp({ hosts: 2, disks: 1, diskSizeBytes: 512 * 2 ** 20, name });
});

afterAll(() => labDown({ name }));

function host(index: number): LabHost {
  const found = lab.hosts[index];
  if (found === undefined) throw new Error(`the lab has no host ${index}`);
  return found;
}

/** Runs a script on a host with OpenSSH's own client and strict host key checking. */
async function ssh(target: LabHost, user: string, script: string): Promise<string> {
  const options = ["BatchMode=yes", "StrictHostKeyChecking=yes", `UserKnownHostsFile=${lab.knownHostsFile}`];
  const argv = ["-i", lab.identityFile, ...options.flatMap((option) => ["-o", option]), `${user}@${target.address}`];
  return (await promisify(execFile)("ssh", [...argv, script])).stdout.trim();
}

async function inside(target: LabHost, script: string): Promise<string> {
  return (await runInHost(target, ["sh", "-ec", script])).stdout.trim();
}

/** Waits until a host that is about to reboot has gone down and come back up. */
async function rebooted(target: LabHost, before: string): Promise<void> {
  for (;;) {
    const now = await ssh(target, "root", "cat /proc/sys/kernel/random/boot_id").catch(() => before);
    if (now !== before) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

describe("a lab", () => {
  test("is listed as up, with the description that labUp returned", async () => {
    expect((await labList()).map((each) => each.name)).toContain(name);
    expect(await readLab(name)).toEqual(lab);
  });

  test("lets every user log in with a key, and has the host key that the lab knows", async () => {
    for (const { name: user } of lab.users)
      expect(await ssh(host(0), user, "id -un; hostname")).toBe(`${user}\n${host(0).name}`);
  });

  test("gives one user sudo with a password, and the other user sudo without one", async () => {
    expect(await ssh(host(0), "admin", "sudo -n id -un")).toBe("root");
    await expect(ssh(host(0), "furrow", "sudo -n true")).rejects.toThrow("a password is required");
    const password = lab.users.find((user) => user.name === "furrow")?.password;
    expect(await ssh(host(0), "furrow", `echo '${password}' | sudo -S -p '' id -un`)).toBe("root");
  });

  test("has hosts that reach each other and run a complete, healthy systemd", async () => {
    expect(await inside(host(0), "systemctl is-system-running --wait")).toBe("running");
    expect(await inside(host(0), `ping -c1 -W2 ${host(1).address} >/dev/null && echo yes`)).toBe("yes");
  });

  test("refuses a second start while it is running", async () => {
    await expect(labUp({ hosts: 1, name })).rejects.toMatchObject({
      code: "E_LAB",
      message: expect.stringContaining("already up"),
    });
  });

  test("can be used as an inventory", () => {
    const definition = labInventory(lab, "furrow");
    expect(Object.keys(definition.hosts)).toEqual(lab.hosts.map((each) => each.name));
    expect(definition.groups?.[name]).toMatchObject({ user: "furrow", become: { method: "sudo" } });
    expect(() => labInventory(lab, "nobody")).toThrow("no such user");
  });
});

describe("packages", () => {
  test("are really installed, and the second host gets them from the lab's cache", async () => {
    for (const each of lab.hosts)
      await inside(
        each,
        "apt-get -q update && DEBIAN_FRONTEND=noninteractive apt-get -qy install tree && tree --version",
      );
    expect(await inside(host(1), "/usr/lib/furrow-lab/apt-proxy")).toBe(`http://${lab.gateway}:3142`);
    const kept = await readdir(aptCacheDir(labStateDir()), { recursive: true });
    expect(kept.filter((path) => /\/tree_[^/]*_amd64\.deb$/.test(path))).toHaveLength(1);
  });
});

describe("a data disk", () => {
  test("can have partitions, a file system and an fstab line by UUID, and is mounted again after a reboot", async () => {
    const [disk] = host(0).disks;
    const part = `${disk?.path}-part1`;
    expect(await inside(host(0), "lsblk -rndo NAME,SIZE,SERIAL")).toBe(`${disk?.device.slice(5)} 512M ${disk?.serial}`);
    await inside(
      host(0),
      `parted -s ${disk?.path} mklabel gpt mkpart data ext4 1MiB 100% && udevadm settle && mkfs.ext4 -q ${part}`,
    );
    const uuid = await inside(host(0), `blkid -s UUID -o value ${part}`);
    await inside(
      host(0),
      `mkdir /data && echo UUID=${uuid} /data ext4 defaults 0 2 >> /etc/fstab && systemctl daemon-reload && mount /data`,
    );
    await inside(host(0), "findmnt --verify && touch /data/kept && sync");
    expect(await inside(host(0), "udevadm settle; lsblk -rno FSTYPE,UUID,MOUNTPOINT | tail -1")).toBe(
      `ext4 ${uuid} /data`,
    );

    const before = await inside(host(0), "cat /proc/sys/kernel/random/boot_id");
    await ssh(host(0), "root", "systemctl reboot").catch(() => undefined);
    await rebooted(host(0), before);
    expect(await inside(host(0), "findmnt -rno SOURCE,FSTYPE /data; ls /data")).toBe(
      `${disk?.device}p1 ext4\nkept\nlost+found`,
    );
  });

  test("is visible on its own host only", async () => {
    const serials = await inside(host(1), "lsblk -rndo SERIAL; ls /dev/disk/by-id");
    expect(serials).toContain(host(1).disks[0]?.serial);
    expect(serials).not.toContain(host(0).disks[0]?.serial);
  });

  test("can be plugged into a running host, and pulled while it is mounted", async () => {
    const disk = await freshDisk(host(1), 64 * 2 ** 20);
    expect(await inside(host(1), `blockdev --getsize64 ${disk.path}; wipefs -n ${disk.path}`)).toBe(
      String(64 * 2 ** 20),
    );
    await inside(host(1), `mkfs.ext4 -q ${disk.path} && mkdir -p /plugged && mount ${disk.path} /plugged`);
    await removeDisk(host(1), disk);
    expect(await inside(host(1), `ls ${disk.path} ${disk.device} 2>&1 || true; lsblk -rndo SERIAL`)).not.toMatch(
      new RegExp(`^${disk.serial}$`, "m"),
    );
    expect(
      (await promisify(execFile)("losetup", ["--list", "--noheadings", "--output", "BACK-FILE"])).stdout,
    ).not.toContain(disk.file);
  });

  test("shows its partitions, including those that sfdisk creates", async () => {
    const disk = await freshDisk(host(1), 64 * 2 ** 20);
    await inside(host(1), `printf 'label: gpt\\nsize=16M\\nname=rest\\n' | sfdisk -q ${disk.path} && udevadm settle`);
    expect(await inside(host(1), `lsblk -rno NAME ${disk.device}`)).toBe(
      ["", "p1", "p2"].map((part) => disk.device.slice(5) + part).join("\n"),
    );
    expect(await inside(host(1), "readlink -f /dev/disk/by-partlabel/rest")).toBe(`${disk.device}p2`);
    await removeDisk(host(1), disk);
  });
});

describe("differences from the image", () => {
  test("are the same for two hosts with the same changes, and list the changed paths", async () => {
    for (const each of lab.hosts) await inside(each, "sync; systemctl is-system-running --wait || true");
    const options = { exclude: ["/data", "/plugged", "/etc", "/var", "/usr", "/root", "/home"] };
    for (const each of lab.hosts)
      await inside(each, "mkdir -p /twin && echo same > /twin/file && ln -sf file /twin/link && rm -f /srv/x");
    expect(await upperDigest(host(0), options)).toBe(await upperDigest(host(1), options));
    await inside(host(1), "chmod 600 /twin/file; rm -rf /media");
    expect(await upperDigest(host(0), options)).not.toBe(await upperDigest(host(1), options));
    const tree = await upperTree(host(1), options);
    expect(tree.get("/twin/file")).toMatch(/^file 600 0:0 [0-9a-f]{64}$/);
    expect(tree.get("/twin/link")).toBe("link 0:0 file");
    expect(tree.get("/media")).toBe("removed");
  });
});

test("a host that lost power boots again with the data on its disk", async () => {
  await inside(host(1), "echo survived > /root/note; sync");
  await powerOff(host(1));
  await expect(runInHost(host(1), ["true"])).rejects.toMatchObject({ code: "E_LAB" });
  await powerOn(lab, host(1));
  expect(await ssh(host(1), "root", "cat /root/note")).toBe("survived");
});
