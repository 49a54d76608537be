import { afterAll, beforeAll, expect, test } from "vitest";
import { type LoopHost, loopHost } from "../../test/disk/loop-host.ts";
import { mount } from "./mount.ts";

let host: LoopHost;
beforeAll(async () => {
  host = await loopHost();
});
afterAll(() => host.close());

/** Makes an idle automount point, as systemd does. A process keeps its pipe open. */
async function automountAt(path: string): Promise<void> {
  const pipe = `${host.folder}/pipe`;
  await host.sh(`mkdir -p '${path}'; [ -e ${pipe} ] || { mkfifo ${pipe}; sleep 300 8<> ${pipe} > /dev/null 2>&1 & }
sleep 0.3; exec 7> ${pipe}
mount -t autofs -o fd=7,pgrp=$$,minproto=5,maxproto=5,direct systemd-1 '${path}'`);
}

test("removes an idle automount point, which would mount the path again at the next access", async () => {
  const path = `${host.folder}/mnt/idle automount`;
  await automountAt(path);
  await host.sh(
    `printf '%s\\n' 'tmpfs ${path.replace(" ", String.raw`\040`)} tmpfs x-systemd.automount 0 0' >> /etc/fstab`,
  );
  const gone = mount({ path, state: "absent" });
  expect(await host.check(gone)).toMatchObject([{ outcome: "changed", facts: [`mount:${path}`, "file:/etc/fstab"] }]);
  expect(await host.apply(gone)).toMatchObject([{ outcome: "changed" }]);
  expect(await host.apply(gone)).toMatchObject([{ outcome: "ok" }]);
  expect(await host.sh("grep autofs /proc/self/mountinfo | grep idle || :")).toBe("");
});

test("stops the automount unit, after it has unmounted what the automount point mounted", async () => {
  const path = `${host.folder}/mnt/automounted`;
  const programs = `${host.folder}/systemd programs`;
  await automountAt(path);
  await host.sh(`mount -t tmpfs over ${path}; mkdir -p /run/systemd/system '${programs}'
printf '#!/bin/sh\nprintf "%%s " "$@" >> ${host.folder}/asked\n[ "$1" != stop ] || umount -l ${path}\n' > '${programs}/systemctl'
printf '#!/bin/sh\necho unit-of-the-path.automount\n' > '${programs}/systemd-escape'
chmod +x '${programs}/'*`);
  const before = process.env["PATH"] ?? "";
  process.env["PATH"] = `${programs}:${before}`;
  const ends = await host.apply(mount({ path, state: "absent" })).finally(() => (process.env["PATH"] = before));
  await host.sh("rm -r /run/systemd");
  expect(ends).toMatchObject([{ outcome: "changed" }]);
  expect(await host.sh(`cat ${host.folder}/asked; grep ${path} /proc/self/mountinfo || :`)).toBe(
    "is-active --quiet unit-of-the-path.automount stop unit-of-the-path.automount ",
  );
});
