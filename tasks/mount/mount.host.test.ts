import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type LoopHost, loopHost, run } from "../../test/disk/loop-host.ts";
import { command } from "../command/command.ts";
import { file } from "../file/file.ts";
import { mount } from "./mount.ts";

let host: LoopHost;
beforeAll(async () => {
  host = await loopHost();
});
afterAll(() => host.close());

const lines = (path: string): Promise<string> =>
  host.sh(`grep -F ' ${path.replaceAll(" ", String.raw`\040`)} ' /etc/fstab || :`);

describe("mount", () => {
  test("mounts by UUID, keeps options, unmounts, and removes the fstab line", async () => {
    const disk = host.disk(32);
    run(["mkfs.ext4", "-q", disk.path]);
    const uuid = run(["blkid", "-p", "-s", "UUID", "-o", "value", disk.path]).trim();
    const path = `${host.folder}/mnt/a/b c`;
    const source = `UUID=${uuid}`;
    const mounted = mount({ path, source, fileSystem: "ext4", check: 2 });
    expect(await host.check(mounted)).toMatchObject([{ outcome: "changed" }]);
    expect(await host.apply(mounted)).toMatchObject([{ outcome: "changed" }]);
    expect(await host.apply(mounted)).toMatchObject([{ outcome: "ok", steps: [] }]);
    expect(await lines(path)).toBe(`${source} ${path.replace(" ", String.raw`\040`)} ext4 defaults,nofail 0 2\n`);

    const readOnly = mount({ path, source, fileSystem: "ext4", options: "ro,noexec", check: 2 });
    expect(await host.apply(readOnly)).toMatchObject([{ outcome: "changed" }]);
    expect(await host.sh(`findmnt -no OPTIONS '${path}'`)).toMatch(/^ro,noexec/);
    expect(await host.apply(readOnly)).toMatchObject([{ outcome: "ok" }]);

    await host.sh(`mount -t tmpfs over '${path}'`);
    const unmounted = mount({ path, source, fileSystem: "ext4", state: "unmounted" });
    expect(await host.apply(unmounted)).toMatchObject([{ outcome: "changed" }]);
    expect(await host.apply(unmounted)).toMatchObject([{ outcome: "ok" }]);
    expect(await host.sh(`findmnt '${path}' || :`)).toBe("");

    expect(await host.apply(mount({ path, state: "absent" }))).toMatchObject([
      { outcome: "changed", facts: ["file:/etc/fstab"] },
    ]);
    expect(await host.apply(mount({ path, state: "absent" }))).toMatchObject([{ outcome: "ok" }]);
    expect(await lines(path)).toBe("");
  });

  test("leaves no line in fstab if the mount fails, because the line would block the next boot", async () => {
    const disk = host.disk(32);
    const path = `${host.folder}/mnt/fails`;
    const before = await host.sh("cat /etc/fstab");
    const call = mount({ path, source: disk.path, fileSystem: "ext4", options: "defaults" });
    const [end] = await host.apply(call);
    expect(end).toMatchObject({ outcome: "failed", error: { code: "E_STEP" } });
    expect(await host.sh("cat /etc/fstab")).toBe(before);
    run(["mkfs.ext4", "-q", disk.path]);
    expect(await host.apply(call)).toMatchObject([{ outcome: "changed" }]);
    expect(await lines(path)).toContain(disk.path);
    expect(await host.apply(mount({ path, state: "absent" }))).toMatchObject([{ outcome: "changed" }]);
  });

  test.each([
    { what: "a device that is not a disk", source: "/dev/null", fileSystem: "ext4", options: "defaults,nofail" },
    { what: "an unknown file system", source: "tmpfs", fileSystem: "nosuchfs", options: "nofail" },
  ])("fails with the reason and leaves fstab unchanged despite nofail, for $what", async ({ what: _what, ...rest }) => {
    const path = `${host.folder}/mnt/nofail`;
    const before = await host.sh("cat /etc/fstab");
    const [end] = await host.apply(mount({ path, ...rest }));
    expect(end).toMatchObject({ outcome: "failed", error: { code: "E_STEP" } });
    expect(end?.error?.failure.details?.join("\n")).toMatch(/mount: .*\n.*\/etc\/fstab was restored/s);
    expect(await host.sh("cat /etc/fstab")).toBe(before);
  });

  test("fails and leaves fstab unchanged if the mount program exits with 0 but mounts nothing", async () => {
    const programs = `${host.folder}/idle programs`;
    run(["sh", "-c", `mkdir -p "$1"; printf '#!/bin/sh\\n' > "$1/mount"; chmod +x "$1/mount"`, "sh", programs]);
    const before = await host.sh("cat /etc/fstab");
    const path = process.env["PATH"] ?? "";
    process.env["PATH"] = `${programs}:${path}`;
    try {
      const at = `${host.folder}/mnt/idle`;
      const [end] = await host.apply(mount({ path: at, source: "tmpfs", fileSystem: "tmpfs" }));
      expect(end).toMatchObject({ outcome: "failed", error: { code: "E_STEP" } });
      expect(end?.error?.failure.details?.join("\n")).toContain(`nothing is mounted at ${at}`);
    } finally {
      process.env["PATH"] = path;
    }
    expect(await host.sh("cat /etc/fstab")).toBe(before);
  });

  test("refuses a bind mount whose source is missing, in check mode too, unless an earlier task creates the source", async () => {
    const path = `${host.folder}/mnt/bind of nothing`;
    const source = `${host.folder}/mnt/made-later`;
    const before = await host.sh("cat /etc/fstab");
    const call = mount({ path, source, fileSystem: "none", options: "bind,nofail" });
    for (const [end] of [await host.check(call), await host.apply(call)]) {
      expect(end?.error?.failure.details).toEqual(["refused: source-missing"]);
    }
    expect(await host.sh("cat /etc/fstab")).toBe(before);
    const [notDirectory] = await host.check(
      mount({ path, source: "/etc/passwd", fileSystem: "none", options: "bind,nofail" }),
    );
    expect(notDirectory?.error?.failure.details).toEqual(["refused: source-not-directory"]);
    const both = [file({ path: source, state: "directory" }), call];
    expect(await host.check(...both)).toMatchObject([{ outcome: "changed" }, { outcome: "changed" }]);
    expect(await host.apply(...both)).toMatchObject([{ outcome: "changed" }, { outcome: "changed" }]);
    expect(await host.apply(...both)).toMatchObject([{ outcome: "ok" }, { outcome: "ok" }]);
  });

  test("keeps one fstab line for a path that had three", async () => {
    const path = "/mnt/tmp-three";
    await host.sh(`for i in 1 2 3; do echo 'tmpfs ${path} tmpfs size=1m 0 0' >> /etc/fstab; done`);
    const call = mount({ path, source: "tmpfs", fileSystem: "tmpfs", options: "size=1m,nosuid" });
    expect(await host.apply(call)).toMatchObject([{ outcome: "changed" }]);
    expect(await host.apply(call)).toMatchObject([{ outcome: "ok" }]);
    expect(await lines(path)).toBe(`tmpfs ${path} tmpfs size=1m,nosuid 0 0\n`);
    await host.apply(mount({ path, state: "absent" }));
    await host.sh(`rmdir ${path}`);
  });

  test("binds a directory to another path", async () => {
    const path = `${host.folder}/mnt/bound`;
    const call = mount({ path, source: `${host.folder}/etc`, fileSystem: "none", options: "bind" });
    expect(await host.apply(call)).toMatchObject([{ outcome: "changed" }]);
    expect(await host.apply(call)).toMatchObject([{ outcome: "ok" }]);
    expect(await host.sh(`cat ${path}/fstab`)).toContain(" none bind 0 0");
  });

  test("refuses a bind mount with a new source while the old source is mounted, and mounts the new source once the old one is unmounted", async () => {
    const path = `${host.folder}/mnt/moved`;
    await host.sh(`mkdir -p '${host.folder}/mnt/one dir' ${host.folder}/mnt/two; ln -s two ${host.folder}/mnt/link`);
    await host.sh(`mkdir -p ${path}; mount --bind '${host.folder}/mnt/one dir' ${path}`);
    const call = mount({ path, source: `${host.folder}/mnt/link`, fileSystem: "none", options: "bind" });
    for (const ends of [await host.check(call), await host.apply(call)]) {
      expect(ends[0]?.error?.failure.details).toEqual(["refused: mount-point-taken"]);
    }
    await host.apply(mount({ path, state: "absent" }));
    expect(await host.apply(call)).toMatchObject([{ outcome: "changed" }]);
    expect(await host.apply(call)).toMatchObject([{ outcome: "ok" }]);
    expect(await host.sh(`touch ${host.folder}/mnt/two/new; ls ${path}`)).toBe("new\n");
  });

  test("makes a bind,ro mount read-only, whether it is new or was writable before", async () => {
    const path = `${host.folder}/mnt/ro`;
    const writable = mount({ path, source: `${host.folder}/etc`, fileSystem: "none", options: "bind" });
    const call = mount({ path, source: `${host.folder}/etc`, fileSystem: "none", options: "bind,ro" });
    await host.apply(writable);
    expect(await host.check(call)).toMatchObject([{ outcome: "changed", facts: [`mount:${path}`, "file:/etc/fstab"] }]);
    expect(await host.apply(call)).toMatchObject([{ outcome: "changed" }]);
    expect(await host.apply(call)).toMatchObject([{ outcome: "ok" }]);
    await expect(host.sh(`touch ${path}/x`)).rejects.toThrow(/Read-only/);
    await host.sh(`touch ${host.folder}/etc/x; umount ${path}`);
    expect(await host.apply(call)).toMatchObject([{ outcome: "changed" }]);
    await expect(host.sh(`touch ${path}/x`)).rejects.toThrow(/Read-only/);
  });

  test("refuses a path where something else is mounted, and a missing device", async () => {
    const path = `${host.folder}/mnt/taken`;
    await host.sh(`mkdir -p ${path}; mount -t tmpfs other ${path}`);
    const [taken] = await host.apply(mount({ path, source: "mine", fileSystem: "tmpfs" }));
    expect(taken?.error?.failure.details).toEqual(["refused: mount-point-taken"]);
    const [missing] = await host.apply(
      mount({ path: "/mnt/none", source: "UUID=00000000-1111-2222-3333-444444444444", fileSystem: "ext4" }),
    );
    expect(missing?.error?.failure.details).toEqual(["refused: device-missing"]);
  });

  test("refuses to unmount a busy mount and says why, and detaches it with `lazy`", async () => {
    const path = `${host.folder}/mnt/busy`;
    await host.apply(mount({ path, source: "tmpfs", fileSystem: "tmpfs" }));
    await host.sh(`cd ${path}; setsid sh -c 'exec sleep 20' > /dev/null 2>&1 < /dev/null &`);
    const gone = mount({ path, state: "absent" });
    for (const [end] of [await host.check(gone), await host.apply(gone)]) {
      expect(end?.error?.failure.details).toEqual(["refused: mount-busy"]);
      expect(end?.error?.failure.current).toMatch(/^sleep \(\d+\) has its working directory there$/);
      expect(end?.error?.failure.hint).toContain("lazy: true");
    }
    expect(await lines(path)).not.toBe("");
    expect(await host.apply(mount({ path, state: "absent", lazy: true }))).toMatchObject([{ outcome: "changed" }]);
  });

  test.each([
    { what: "an open file", use: "exec 7> PATH/open; exec sleep 20", said: "has a file open there" },
    {
      what: "a program running from it",
      use: "cp /bin/sleep PATH/; exec PATH/sleep 20",
      said: "runs a program from there",
    },
  ])("refuses to unmount a path in use by $what, unless an earlier task ends that use", async ({ use, said }) => {
    const path = `${host.folder}/mnt/used place`;
    await host.apply(mount({ path, source: "tmpfs", fileSystem: "tmpfs" }));
    const script = use.replaceAll("PATH", `"${path}"`);
    await host.sh(`setsid sh -c '${script}' > /dev/null 2>&1 < /dev/null & echo $! > ${host.folder}/pid; sleep 0.3`);
    const gone = mount({ path, state: "absent" });
    for (const [end] of [await host.check(gone), await host.apply(gone)]) {
      expect(end?.error?.failure.details).toEqual(["refused: mount-busy"]);
      expect(end?.error?.failure.current).toContain(said);
    }
    const kill = command({
      command: ["sh", "-c", `pkill -s "$(cat ${host.folder}/pid)" sleep; sleep 0.2`],
      always: true,
      mayProvide: ["mountUse:**"],
    });
    // Something else may use the mount too, so check mode cannot promise that it will be unmounted.
    expect(await host.check(kill, gone)).toMatchObject([{ outcome: "changed" }, { outcome: "undecided" }]);
    expect(await host.apply(kill, gone)).toMatchObject([{ outcome: "changed" }, { outcome: "changed" }]);
    expect(await host.sh(`findmnt '${path}' || :`)).toBe("");
  });

  test("refuses to unmount a path with another mount below it, unless an earlier task unmounts the mount below", async () => {
    const path = `${host.folder}/mnt/outer`;
    for (const at of [path, `${path}/inner`])
      await host.apply(mount({ path: at, source: "tmpfs", fileSystem: "tmpfs" }));
    const gone = mount({ path, state: "absent" });
    const [end] = await host.check(gone);
    expect(end?.error?.failure.current).toBe(`${path}/inner is mounted below it`);
    const both = [mount({ path: `${path}/inner`, state: "absent" }), gone];
    // Something else may use the mount too, so check mode cannot promise that it will be unmounted.
    expect(await host.check(...both)).toMatchObject([{ outcome: "changed" }, { outcome: "undecided" }]);
    expect(await host.apply(...both)).toMatchObject([{ outcome: "changed" }, { outcome: "changed" }]);
  });

  test("does not hang on a mount helper that never answers", async () => {
    const programs = `${host.folder}/programs`;
    run([
      "sh",
      "-c",
      `mkdir -p ${programs}; printf '#!/bin/sh\\ncase "$*" in *dead:*) trap "" TERM; while :; do sleep 1; done;; esac; exec /bin/mount "$@"\\n' > ${programs}/mount; chmod +x ${programs}/mount`,
    ]);
    const path = process.env["PATH"] ?? "";
    process.env["PATH"] = `${programs}:${path}`;
    const started = performance.now();
    try {
      const [end] = await host.apply(
        mount({ path: `${host.folder}/mnt/dead`, source: "dead:/export", fileSystem: "nfs", timeoutSeconds: 1 }),
      );
      expect(end?.error?.failure.details?.join()).toMatch(/dead:\/export did not answer within 1 seconds/);
    } finally {
      process.env["PATH"] = path;
    }
    expect(performance.now() - started).toBeLessThan(15_000);
  });
});
