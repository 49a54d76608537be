import { chmodSync, linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { readKind } from "../../testing/read-kind.ts";
import { type ImageUses, imageUses, imageUsesKind } from "./image-uses.ts";

const folder = mkdtempSync(join(tmpdir(), "image uses "));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string): string => join(folder, name);
mkdirSync(at("bin"));
mkdirSync(at("sub"));

/**
 * A qcow2 image with a backing file, as in QEMU's docs/interop/qcow2; `features` is the lowest byte of the incompatible
 * features.
 */
function qcow2(name: string, backing = "", features = 0): void {
  const header = Buffer.alloc(104);
  header.write("QFI\u00fb", 0, "latin1");
  header.writeUInt32BE(3, 4);
  header.writeBigUInt64BE(backing === "" ? 0n : 104n, 8);
  header.writeUInt32BE(Buffer.byteLength(backing), 16);
  header.writeUInt8(features, 79);
  writeFileSync(at(name), Buffer.concat([header, Buffer.from(backing)]));
}

const base = at("base.qcow2");
qcow2("base.qcow2");
qcow2("clone.qcow2", base);
qcow2("second.qcow2", "clone.qcow2");
qcow2("sub/relative.qcow2", "file:../base.qcow2");
qcow2("linked.qcow2", at("link"));
qcow2("orphan.qcow2", at("gone.qcow2"));
qcow2("endless.qcow2", "endless.qcow2");
qcow2("json.qcow2", 'json:{"driver":"nbd"}');
qcow2("remote.qcow2", "nbd://other/disk");
qcow2("outside.qcow2", "", 4);
qcow2("R&D's.qcow2", base);
writeFileSync(at("old.vmdk"), "KDMV and the rest of a sparse image that has eighty bytes or more, as real ones do");
symlinkSync(base, at("link"));
linkSync(base, at("hard.qcow2"));

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("'", "&apos;");
const source = (name: string): string => `      <source file='${escaped(at(name))}' index='1'/>`;
const disk = (...lines: string[]): string =>
  ["    <disk type='file' device='disk'>", ...lines, "      <target dev='vda' bus='virtio'/>", "    </disk>"].join(
    "\n",
  );
const driver = (format: string): string => `      <driver name='qemu' type='${format}'/>`;
const domain = (name: string, ...disks: string[]): string =>
  `<domain type='kvm'>\n  <name>${escaped(name)}</name>\n  <devices>\n${disks.join("\n")}\n  </devices>\n</domain>`;

/** A stand-in for virsh, for a host with these domains; the answer to `vol-path` is the path of the clone. */
function virshOf(...domains: string[]): void {
  domains.forEach((xml, index) => writeFileSync(at(`u${index}.xml`), xml));
  const list = domains.map((_, index) => `u${index}`).join("\\n");
  const script = `#!/bin/sh
[ "$1 $2" = '-c qemu:///system' ] && shift 2
[ "$1" = -q ] && shift && [ "$1" = -c ] && shift 2
case "$1 $3 $5" in
'list --all --uuid  ') printf '${list}\\n\\n';;
'vol-path clone default') printf '%s\\n\\n' '${at("clone.qcow2")}';;
'vol-path '*) exit 1;;
*) printf '%s\\n' "$1" | tr ';' '\\n' | while read -r a b c; do
case $a in echo) echo "$b $c";; *) cat '${folder}'/"\${c:-$b}.xml" 2>/dev/null; echo;; esac; done;;
esac
`;
  writeFileSync(at("bin/virsh"), script);
  chmodSync(at("bin/virsh"), 0o755);
}

const env = { PATH: `${at("bin")}:${process.env["PATH"] ?? ""}` };
const usesOf = async (image = base): Promise<ImageUses> => {
  const [first, again] = await readKind([imageUses(image), imageUses(image)], { env });
  expect(again).toEqual(first);
  expect(first?.lines).toEqual(imageUsesKind.print?.(first?.value as ImageUses, imageUses(image)));
  return first?.value as ImageUses;
};
const only = (name: string, disk: string): ImageUses => ({ uses: [{ domain: name, disk }], lost: [] });

describe("an image", () => {
  test.each([
    ["it itself", disk(driver("qcow2"), source("base.qcow2")), at("base.qcow2")],
    ["it itself, as a raw disk", disk(driver("raw"), source("base.qcow2")), at("base.qcow2")],
    ["a symbolic link to it", disk(driver("qcow2"), source("link")), at("link")],
    ["a hard link to it", disk(driver("qcow2"), source("hard.qcow2")), at("hard.qcow2")],
    ["an overlay of it", disk(driver("qcow2"), source("clone.qcow2")), at("clone.qcow2")],
    ["an overlay of which libvirt does not give the format", disk(source("clone.qcow2")), at("clone.qcow2")],
    ["an overlay of an overlay", disk(driver("qcow2"), source("second.qcow2")), at("second.qcow2")],
    ["an overlay with a relative path", disk(driver("qcow2"), source("sub/relative.qcow2")), at("sub/relative.qcow2")],
    ["an overlay of a symbolic link to it", disk(driver("qcow2"), source("linked.qcow2")), at("linked.qcow2")],
    ["a file whose name libvirt escapes", disk(driver("qcow2"), source("R&D's.qcow2")), at("R&D's.qcow2")],
    [
      "a disk that only libvirt's definition connects with it",
      disk(
        driver("qcow2"),
        source("outside.qcow2").replace("outside", "hard"),
        "      <backingStore type='file'>",
        "        <format type='raw'/>",
        `        <source file='${base}'/>`,
        "      </backingStore>",
      ),
      at("hard.qcow2"),
    ],
    [
      "a disk that is being copied to it",
      disk(
        driver("raw"),
        source("old.vmdk"),
        `      <mirror type='file' job='copy'>`,
        "        <format type='qcow2'/>",
        `        <source file='${at("clone.qcow2")}'/>`,
        "      </mirror>",
      ),
      at("old.vmdk"),
    ],
    [
      "a volume of a pool that is an overlay of it",
      disk(driver("qcow2"), "      <source pool='default' volume='clone'/>"),
      "default/clone",
    ],
  ])("is needed by a machine whose disk is %s", async (_name, xml, own) => {
    virshOf(domain("web", xml), domain("other", disk(driver("raw"), source("old.vmdk"))));
    expect(await usesOf()).toEqual(only("web", own));
  });

  test("is not needed by a machine with other disks, even if a guest has written the header of an overlay to a raw one", async () => {
    const cd = "    <disk type='file' device='cdrom'>\n      <target dev='sda' bus='sata'/>\n    </disk>";
    virshOf(domain("web", disk(driver("raw"), source("clone.qcow2")), cd));
    expect(await usesOf()).toEqual({ uses: [], lost: [] });
  });

  test("is needed by nobody if it does not exist, if libvirt is not installed, or if there are no machines", async () => {
    const nobody = { uses: [], lost: [] };
    virshOf(domain("web", disk(driver("qcow2"), source("orphan.qcow2"))));
    expect(await usesOf(at("gone.qcow2"))).toEqual(nobody);
    virshOf();
    expect(await usesOf()).toEqual(nobody);
    rmSync(at("bin/virsh"));
    expect(await usesOf()).toEqual(nobody);
  });
});

describe("a chain that cannot be read", () => {
  test.each([
    ["orphan.qcow2", `${at("gone.qcow2")} does not exist`],
    ["nowhere.qcow2", `${at("nowhere.qcow2")} does not exist`],
    ["endless.qcow2", `${at("endless.qcow2")} has more than 64 backing files`],
    ["json.qcow2", `${at("json.qcow2")} has the backing file json:{"driver":"nbd"}, which is not a path`],
    ["remote.qcow2", `${at("remote.qcow2")} has the backing file nbd://other/disk, which is not a path`],
    ["outside.qcow2", `${at("outside.qcow2")} has its data in another file`],
    ["old.vmdk", `${at("old.vmdk")} has a format whose backing files furrow cannot read`],
    ["sub", `${at("sub")} is neither a file nor a block device`],
  ])("is reported: %s", async (name, problem) => {
    virshOf(domain("R&D", disk(driver("qcow2"), source(name))));
    expect(await usesOf()).toEqual({ uses: [], lost: [{ domain: "R&D", disk: at(name), problem }] });
  });

  test("is reported for a volume without a path, a qcow2 image on another machine, and a machine without a definition", async () => {
    const volume = disk(driver("qcow2"), "      <source pool='default' volume='x'/>");
    const remote = disk(driver("qcow2"), "      <source protocol='nbd' name='x'>", "      </source>");
    virshOf(domain("web", volume, remote, disk(driver("raw"), "      <source protocol='rbd' name='p/x'/>")), "");
    expect(await usesOf()).toEqual({
      uses: [],
      lost: [
        {
          domain: "",
          disk: "u1",
          problem: "libvirt does not show the definition of the virtual machine u1",
        },
        {
          domain: "web",
          disk: "default/x",
          problem: "libvirt does not say where the volume x of the pool default is",
        },
        { domain: "web", disk: "nbd", problem: "it is on another machine (nbd), in the format qcow2" },
      ],
    });
  });

  test("is reported if libvirt does not answer", async () => {
    writeFileSync(at("bin/virsh"), "#!/bin/sh\necho 'error: no socket' >&2\nexit 1\n");
    chmodSync(at("bin/virsh"), 0o755);
    expect(await usesOf()).toEqual({
      uses: [],
      lost: [{ domain: "", disk: "", problem: "libvirt does not answer: no socket" }],
    });
  });
});
