import { execFileSync, spawnSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type LoopHost, loopHost, run } from "../../test/disk/loop-host.ts";
import { bootParameters } from "./boot-parameters.ts";

const editor = ["grub-editenv", "grub2-editenv"].find((name) => spawnSync(name, ["--version"]).status === 0);
if (editor === undefined) process.stderr.write("skipped without grub-common: GRUB's own reading of its environment\n");

let host: LoopHost;
let state: string;
let environment: string;
beforeAll(async () => {
  host = await loopHost();
  [state, environment] = [`${host.folder}/mnt/state`, `${host.folder}/grubenv`];
  const disk = host.disk(32);
  run(["mkfs.ext4", "-q", disk.path]);
  await host.sh(`mkdir -p /etc/cos ${state}; mount ${disk.path} ${state}; mkdir ${state}/grub2
printf 'linux /k a\\n linux /k b rd.iscsi.ibft\\n' >${state}/grub2/grub.cfg; chmod 600 ${state}/grub2/grub.cfg
mount -o remount,ro ${state}; echo 'set kernelcmd=x' >/etc/cos/bootargs.cfg`);
});
afterAll(() => host.close());

const call = () => bootParameters({ words: ["rd.iscsi.firmware", "rd.iscsi.ibft"], state, environment });
const options = (): Promise<string> => host.sh(`findmnt -no OPTIONS ${state} | cut -c1-2`);

describe("bootParameters", () => {
  test("changes grub.cfg on a partition that is mounted read-only, exactly once and as check mode predicted", async () => {
    expect(await host.check(call())).toMatchObject([{ outcome: "changed" }]);
    expect(await host.sh(`cat ${state}/grub2/grub.cfg`)).toBe("linux /k a\n linux /k b rd.iscsi.ibft\n");
    expect(await host.apply(call())).toMatchObject([{ outcome: "changed", error: undefined }]);
    expect(await host.sh(`cat ${state}/grub2/grub.cfg; stat -c %a ${state}/grub2/grub.cfg; ls ${state}/grub2`)).toBe(
      "linux /k a rd.iscsi.firmware rd.iscsi.ibft\n linux /k b rd.iscsi.ibft rd.iscsi.firmware\n600\n" +
        "grub.cfg\ngrub.cfg.before-furrow\n",
    );
    expect(await options()).toBe("ro\n");
    expect(await host.apply(call())).toMatchObject([{ outcome: "ok", steps: [] }]);
    await host.sh(`mount -o remount,rw ${state}; echo 'linux /k c' >>${state}/grub2/grub.cfg`);
    expect(await host.apply(call())).toMatchObject([{ outcome: "changed" }]);
    expect(await options()).toBe("rw\n");
  });

  test("writes an environment that GRUB's own tool reads", async () => {
    await host.sh("echo 'kernelcmd=\"$third_party_kernel_args\"' >/etc/cos/bootargs.cfg");
    expect(await host.apply(call())).toMatchObject([{ outcome: "changed" }]);
    expect(await host.apply(call())).toMatchObject([{ outcome: "ok" }]);
    expect(await host.sh(`wc -c <${environment}`)).toBe("1024\n");
    if (editor === undefined) return;
    const grub = (...words: string[]): string => execFileSync(editor, [environment, ...words], { encoding: "utf8" });
    expect(grub("list")).toBe("third_party_kernel_args=rd.iscsi.firmware rd.iscsi.ibft\n");
    grub("set", "third_party_kernel_args=multipath=off rd.iscsi.ibft", "next_entry=recovery");
    expect(await host.apply(call())).toMatchObject([{ outcome: "changed", error: undefined }]);
    expect(grub("list")).toBe(
      "third_party_kernel_args=multipath=off rd.iscsi.ibft rd.iscsi.firmware\nnext_entry=recovery\n",
    );
  });
});
