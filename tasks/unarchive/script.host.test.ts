import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { unarchiveScript } from "./script.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-unarchive-"));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (...names: string[]): string => join(folder, ...names);
const sh = (script: string, cwd = folder): string => execFileSync("sh", ["-c", script], { cwd, encoding: "utf8" });

/** Creates an archive with Python, which accepts any entry name in a tar or zip file. */
const forge = (name: string, entries: readonly object[]): string => {
  const program = `
import json, sys, tarfile, zipfile, io
path, entries = sys.argv[1], json.loads(sys.argv[2])
if path.endswith(".zip"):
    with zipfile.ZipFile(path, "w") as z:
        for e in entries: z.writestr(e["name"], e.get("text", ""))
else:
    with tarfile.open(path, "w") as t:
        for e in entries:
            i = tarfile.TarInfo(e["name"]); data = e.get("text", "").encode(); i.size = len(data); i.mode = e.get("mode", 0o644)
            i.uid = e.get("uid", 0); i.mtime = 1700000000
            if "link" in e: i.type, i.linkname, i.size = tarfile.SYMTYPE, e["link"], 0
            if "hard" in e: i.type, i.linkname, i.size = tarfile.LNKTYPE, e["hard"], 0
            t.addfile(i, io.BytesIO(data))
`;
  execFileSync("python3", ["-c", program, at(name), JSON.stringify(entries)]);
  return at(name);
};

beforeAll(() => {
  mkdirSync(at("tree/top/it's here"), { recursive: true });
  writeFileSync(at("tree/top/it's here/a file"), "content");
  writeFileSync(at("tree/top/run"), "#!/bin/sh\n");
  chmodSync(at("tree/top/run"), 0o755);
  symlinkSync("../top/run", at("tree/top/link"));
  sh("ln tree/top/run tree/top/hard");
  const filters = { "a.tar": "cat", "a.tar.gz": "gzip", "a.tar.xz": "xz", "a.tar.zst": "zstd", "a.tar.bz2": "bzip2" };
  for (const [name, filter] of Object.entries(filters)) sh(`tar -C tree -cf - . | ${filter} > ${name}`);
  sh("cd tree && zip -qry ../a.zip .");
});

let to = "";
let stamp = "";
beforeEach(() => {
  to = mkdtempSync(at("to-"));
  stamp = join(to, "..", `${to.slice(-6)}.stamps`, "x");
});

const unpack = (
  archive: string,
  format: string,
  options: { strip?: number; keep?: boolean; tar?: string; stamp?: boolean; follow?: boolean; before?: string } = {},
) => {
  const bin = at(`bin-${options.tar ?? "gnu"}`);
  if (options.tar === "busybox" && !existsSync(bin)) {
    mkdirSync(bin);
    sh(`ln -s "$(command -v busybox)" ${bin}/tar`);
  }
  const words = [archive, to, format, String(options.strip ?? 0), options.keep === true ? "keep" : ""];
  const noted = options.stamp === false ? ["", ""] : [stamp, "sha256:abc"];
  const env = { ...process.env, LC_ALL: "C", PATH: `${bin}:${process.env["PATH"]}` };
  const all = [...words, ...noted, "", options.follow === true ? "follow" : ""];
  const shell = options.before === undefined ? ["sh"] : ["unshare", "--mount", "--propagation=private", "sh"];
  const [program = "sh", ...before] = shell;
  const script = `${options.before ?? ""}\numask 022\n${unarchiveScript}`;
  const { status, stderr } = spawnSync(program, [...before, "-c", script, "unarchive", ...all], {
    encoding: "utf8",
    env,
  });
  return { status, stderr };
};

describe.each(["gnu", "busybox"])("unarchive with %s tar", (tar) => {
  test.each(["tar", "tar.gz", "tar.xz", "tar.bz2", "tar.zst", "zip"])("unpacks %s and remembers it", (format) => {
    expect(unpack(at(`a.${format}`), format, { tar })).toEqual({ status: 0, stderr: "" });
    expect(readFileSync(join(to, "top/it's here/a file"), "utf8")).toBe("content");
    expect(statSync(join(to, "top/run")).mode & 0o777).toBe(0o755);
    expect(sh('readlink "$PWD/top/link"', to).trim()).toBe("../top/run");
    expect(readFileSync(stamp, "utf8").split("\n")[1]).toBe("sha256:abc");
    expect(unpack(at(`a.${format}`), format, { tar }).status).toBe(0);
  });

  test("strips leading directories from the entries' paths", () => {
    expect(unpack(at("a.tar.gz"), "tar.gz", { tar, strip: 2, stamp: false }).status).toBe(0);
    expect(readFileSync(join(to, "it's here/a file"), "utf8")).toBe("content");
    expect(existsSync(stamp)).toBe(false);
  });

  test.each([
    { title: "a path that begins with ..", entries: [{ name: "ok" }, { name: "../evil", text: "x" }] },
    { title: "a path with .. after its first part", entries: [{ name: "a/../../evil", text: "x" }] },
    { title: "an absolute path", entries: [{ name: at("evil"), text: "x" }] },
    {
      title: "a path through a link",
      entries: [
        { name: "l", link: ".." },
        { name: "l/evil", text: "x" },
      ],
    },
    {
      title: "a path through a link that is listed with a leading ./",
      entries: [
        { name: "./l", link: folder },
        { name: "l/evil", text: "x" },
      ],
    },
    { title: "a hard link to a file outside", entries: [{ name: "h", hard: "../tree/top/run" }] },
    { title: "an absolute hard link", entries: [{ name: "h", hard: "/etc/passwd" }] },
    {
      title: "a path through a link with an arrow in its name",
      entries: [
        { name: "l -> x", link: ".." },
        { name: "l -> x/evil", text: "x" },
      ],
    },
  ])("refuses $title before anything is unpacked", ({ entries }) => {
    const { status, stderr } = unpack(forge("evil.tar", entries), "tar", { tar });
    expect(status).toBe(1);
    expect(stderr).toContain("nothing was unpacked");
    expect(readdirSync(to)).toEqual([]);
    expect(existsSync(at("evil"))).toBe(false);
    expect(existsSync(stamp)).toBe(false);
  });

  test.each(["tar.gz", "zip"])("leaves the modes and owners of existing directories as they are: %s", (format) => {
    const from = mkdtempSync(at("private-"));
    sh(
      `mkdir -m 750 new old; touch old/file; chmod 700 . old; tar -czf ../p.tar.gz .; rm -f ../p.zip; zip -qr ../p.zip .`,
      from,
    );
    sh("mkdir -m 755 old; chmod 1755 .; chown 7:7 . old", to);
    expect(unpack(at(`p.${format}`), format, { tar }).status).toBe(0);
    expect(sh("stat -c '%n %a %u:%g' . old new", to)).toBe(". 1755 7:7\nold 755 7:7\nnew 750 0:0\n");
  });

  test("leaves the mode and owner of the directory itself as they are, even if it keeps the archive's owners", () => {
    const from = mkdtempSync(at("private-"));
    sh(`mkdir -m 700 sub; chown 12345:12345 . sub; chmod 700 .; tar -czf ../p.tar.gz .`, from);
    sh("chmod 1755 .; chown 7:7 .", to);
    expect(unpack(at("p.tar.gz"), "tar.gz", { tar, keep: true }).status).toBe(0);
    expect(sh("stat -c '%n %a %u:%g' . sub", to)).toBe(". 1755 7:7\nsub 700 12345:12345\n");
  });

  test("accepts two dots inside a name, and links that no other entry goes through", () => {
    const entries = [
      { name: "a..b/..c", text: "x" },
      { name: "l", link: "/etc" },
      { name: "l2", text: "y" },
    ];
    expect(unpack(forge("good.tar", entries), "tar", { tar })).toEqual({ status: 0, stderr: "" });
    expect(readdirSync(to).toSorted()).toEqual(["a..b", "l", "l2"]);
  });

  describe("checks the host before it unpacks anything:", () => {
    const archive = () =>
      forge("way.tar", [
        { name: "./new", text: "n" },
        { name: "./etc/conf", text: "mine" },
      ]);
    const refused = ({ status, stderr }: ReturnType<typeof unpack>): string =>
      status === 1 && !existsSync(join(to, "new")) ? stderr : `unpacked, ended with ${status}`;
    test.each([
      { what: "a FIFO", make: "mkdir etc; mkfifo etc/conf", why: /conf is a device node, FIFO or socket/ },
      { what: "a device node", make: "mkdir etc; mknod etc/conf c 1 3", why: /conf is a device node, FIFO or socket/ },
      {
        what: "a link in place of a directory",
        make: "mkdir real; ln -s real etc",
        why: /etc is a link, and the archive/,
      },
      {
        what: "a file in place of a directory",
        make: "echo mine > etc",
        why: /etc is not a directory, and the archive has/,
      },
      {
        what: "an empty directory in place of a file",
        make: "mkdir -p etc/conf",
        why: /conf is a directory, and the archive/,
      },
    ])("refuses $what", ({ make, why }) => {
      sh(make, to);
      expect(refused(unpack(archive(), "tar", { tar }))).toMatch(why);
    });
    test("refuses to unpack over a mount point", () => {
      sh("mkdir etc 'a b'", to);
      const mount = (name: string): string => `mount -t tmpfs tmpfs '${to}/${name}'`;
      expect(refused(unpack(archive(), "tar", { tar, before: mount("etc") }))).toMatch(/etc is a mount point/);
      const blank = forge("blank.tar", [
        { name: "new", text: "n" },
        { name: "x/a b/c", text: "c" },
      ]);
      expect(refused(unpack(blank, "tar", { tar, before: mount("a b"), strip: 1 }))).toMatch(/a b is a mount point/);
    });
    test("follows links if allowed, and replaces files and dangling links", () => {
      sh("mkdir real; ln -s real etc; echo old > real/conf; ln -s nowhere new", to);
      expect(unpack(archive(), "tar", { tar, follow: true }).status).toBe(0);
      expect(sh("readlink etc; cat real/conf new", to)).toBe("real\nminen");
    });
  });

  test("drops the archive's owners and special modes unless told to keep them", () => {
    const archive = forge("suid.tar", [{ name: "f", text: "x", mode: 0o4777, uid: 12_345 }]);
    const { status } = unpack(archive, "tar", { tar });
    const state = status === 0 ? statSync(join(to, "f")) : undefined;
    expect([status, state?.uid, (state?.mode ?? 0) & 0o7777]).toEqual(
      tar === "gnu" ? [0, process.getuid?.(), 0o755] : [1, undefined, 0],
    );
    expect(unpack(archive, "tar", { tar, keep: true }).status).toBe(0);
    expect(statSync(join(to, "f")).mode & 0o7777).toBe(0o4777);
  });

  test.each(["tar.gz", "tar.xz", "tar.zst"])("reports a truncated %s, and records nothing", (format) => {
    sh(`cp a.${format} cut.${format}`);
    truncateSync(at(`cut.${format}`), statSync(at(`a.${format}`)).size - 12);
    const { status, stderr } = unpack(at(`cut.${format}`), format, { tar });
    expect([status, readdirSync(to), existsSync(stamp)]).toEqual([1, [], false]);
    expect(stderr).toContain(`it is not a complete ${format} archive`);
  });
});

test("refuses a zip with a path that leads outside the directory, and a file that is not a zip", () => {
  expect(unpack(forge("evil.zip", [{ name: "ok" }, { name: "../evil", text: "x" }]), "zip")).toMatchObject({
    status: 1,
  });
  writeFileSync(at("none.zip"), "<html>");
  expect(unpack(at("none.zip"), "zip").stderr).toContain("is not a complete zip archive");
  expect(readdirSync(to)).toEqual([]);
  expect(existsSync(at("evil"))).toBe(false);
});

test("unpacks nothing if it cannot record the archive", () => {
  stamp = "/proc/nowhere/x";
  expect(unpack(at("a.tar"), "tar")).toMatchObject({
    status: 1,
    stderr: expect.stringContaining("Set creates") as string,
  });
  expect(readdirSync(to)).toEqual([]);
});

test("removes an archive that the task sent, even if it refuses the archive", () => {
  const into = at("refused");
  mkdirSync(into);
  const staged = forge("staged.tar", [{ name: "../out", text: "x" }]);
  const words = [staged, into, "tar", "0", "", "", ""];
  const run = (...more: string[]) => spawnSync("sh", ["-c", unarchiveScript, "unarchive", ...words, ...more]).status;
  expect(run("")).toBe(1);
  expect(existsSync(staged)).toBe(true);
  expect(run("staged")).toBe(1);
  expect(existsSync(staged)).toBe(false);
});
