import { execFileSync } from "node:child_process";
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { covered } from "../../../test/covered.ts";
import { absent } from "../../core/facts/symbols.ts";
import { kindOf } from "../../core/facts/kind.ts";
import { readKind } from "../../testing/read-kind.ts";
import { type ApparmorProfile, apparmorProfile } from "./apparmor.ts";
import { allows, pathRules } from "./apparmor-rules.ts";

// Debian's own parser and profiles, unpacked but not installed, because this machine's kernel may not support AppArmor.
let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "furrow-apparmor-"));
  const script = `apt-get -q download apparmor apparmor-profiles libvirt-daemon-system >&2
for deb in *.deb; do dpkg-deb -x "$deb" .; done; mkdir -p etc/apparmor.d/local`;
  execFileSync("sh", ["-ec", script], { cwd: root, stdio: ["ignore", "ignore", "pipe"] });
  for (const file of profiles) appendFileSync(join(root, "etc/apparmor.d/local", file), "");
}, 600_000);
afterAll(() => rmSync(root, { recursive: true, force: true }));

const profiles = ["usr.sbin.dnsmasq", "usr.lib.libvirt.virt-aa-helper", "usr.sbin.libvirtd"];

function parser(file: string, ...options: readonly string[]): string {
  const base = join(root, "etc/apparmor.d");
  // The dump of an automaton goes to stderr.
  const argv = ["-c", 'exec "$0" "$@" 2>&1', join(root, "sbin/apparmor_parser"), "-q", "-b", base, ...options, file];
  return execFileSync("sh", argv, { cwd: base, encoding: "utf8", maxBuffer: 1 << 28 });
}

/** The next state for each character in `chars`; `other` applies to all characters except those in its list. */
interface Transitions {
  readonly chars: Map<number, number>;
  other?: readonly [string, number];
}

/** The automaton into which the parser compiles a profile's path rules, as `-D dfa-states` prints it. */
class Automaton {
  private readonly next = new Map<number, Transitions>();
  private readonly allowed = new Map<number, number>();

  constructor(dump: string) {
    let state = 0;
    for (const line of dump.split("\n")) {
      const permissions = /^\{(\d+)\} \(0x ([0-9a-f]+)\//.exec(line);
      const from = /^\{(\d+)\} perms:/.exec(line);
      const char = /^ {4}.* 0x([0-9a-f]+) -> \{(\d+)\}/.exec(line);
      const other = /^ {4}\[\^(.*)\] -> \{(\d+)\}/.exec(line);
      const any = /^ {4}\[\] -> \{(\d+)\}/.exec(line);
      if (permissions) this.allowed.set(Number(permissions[1]), Number.parseInt(permissions[2] ?? "", 16));
      else if (from) this.next.set((state = Number(from[1])), { chars: new Map() });
      else if (char) this.next.get(state)?.chars.set(Number.parseInt(char[1] ?? "", 16), Number(char[2]));
      else if (other) this.next.get(state)!.other = [(other[1] ?? "").replace(String.raw`\x0`, ""), Number(other[2])];
      else if (any) this.next.get(state)!.other = ["", Number(any[1])];
    }
  }

  /**
   * True if the program may use the path. Bit 2 means reading and bit 1 writing, for files of the program's own user.
   */
  allows(path: string, permission: "r" | "w"): boolean {
    let state = 1;
    for (const sign of path) {
      const from: Transitions | undefined = this.next.get(state);
      const elsewhere = from?.other?.[0].includes(sign) === true ? undefined : from?.other?.[1];
      const to: number | undefined = from?.chars.get(sign.codePointAt(0) ?? 0) ?? elsewhere;
      if (to === undefined) return false;
      state = to;
    }
    return ((this.allowed.get(state) ?? 0) & (permission === "r" ? 4 : 2)) !== 0;
  }
}

const ours = [
  "/srv/tftpboot/harvester",
  "/srv/tftpboot/harvester/",
  "/srv/tftpboot/harvester/ipxe.efi",
  "/srv/www/harvester/ipxe.efi",
  "/usr/share/ipxe/ipxe-x86_64.efi",
  "/usr/lib/ipxe/ipxe.efi",
  "/mnt/datadisk1/harvester-data.qcow2",
  "/mnt/datadisk2-2/harvester-data.qcow2",
  "/var/lib/libvirt/dnsmasq/vlan1.conf",
  "/etc/apparmor.d/libvirt/x",
];

/** Random paths made from the words of a profile, with some words changed. */
function pathsLike(text: string): fc.Arbitrary<string> {
  const words = [...new Set(text.match(/[\w.-]+/g) ?? [])].filter((word) => word.length < 30);
  const word = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...words) },
    fc.constantFrom("", "x", ".hidden", "disk1", "a.qcow2", "lib64", "sda", "0a-1b"),
  );
  const rule = fc.constantFrom(...(text.match(/^\s*\/[\w/.-]+/gm) ?? ["/"]).map((found) => found.trim()));
  const tail = fc.array(word, { maxLength: 4 }).map((parts) => `/${parts.join("/")}`);
  return fc.oneof(
    tail,
    fc.tuple(rule, tail).map(([start, end]) => start + end),
    rule,
  );
}

describe.each(profiles)("the rules of %s", (file) => {
  test("allow the same access as the parser's own automaton, for our paths and for random paths", () => {
    const text = parser(file, "-p");
    const rules = pathRules(text);
    // The dump has one automaton for the program's name, and then one for the paths.
    const dumps = parser(file, "-Q", "-K", "-D", "dfa-states").split(/^\{1\} <== .*$/m);
    const automaton = new Automaton(dumps[2] ?? "");
    expect(rules).toBeDefined();
    if (rules === undefined) return;
    const kept = readFileSync(join(root, "etc/apparmor.d", file), "utf8");
    const random = fc.sample(pathsLike(kept), { numRuns: 4000, seed: 1 });
    const permissions = ["r", "w"] as const;
    const cases = [...ours, ...random].flatMap((path) => permissions.map((permission) => ({ path, permission })));
    const verdicts = cases.map(({ path, permission }) => automaton.allows(path, permission));
    expect(new Set(verdicts)).toEqual(new Set([true, false]));
    const wrong = cases.filter(({ path, permission }, at) => allows(rules, path, permission) !== verdicts[at]);
    expect(wrong.slice(0, 5)).toEqual([]);
    covered(`${cases.length} paths against the automaton of ${file}`);
  });
});

describe.each(["sh", "bash", "busybox sh"])("profiles of a host with AppArmor, read in %s", (shell) => {
  /**
   * A view of this machine in which the kernel has AppArmor and has loaded one profile; `on` is the value that the
   * kernel reports.
   */
  const view = (on: string): string[] => {
    const script = `mount -t tmpfs tmpfs /sys; mkdir -p /sys/module/apparmor/parameters /sys/kernel/security/apparmor /etc/apparmor.d
echo ${on} >/sys/module/apparmor/parameters/enabled
printf '%s\\n' 'dnsmasq//libvirt_leaseshelper (complain)' 'dnsmasq (enforce)' >/sys/kernel/security/apparmor/profiles
mount --bind "$0/etc/apparmor.d" /etc/apparmor.d; PATH=$0/sbin:$PATH; exec ${shell} -c "$1"`;
    return ["unshare", "--mount", "sh", "-ec", script, root];
  };
  const questions = ["usr.sbin.dnsmasq", "usr.sbin.libvirtd", "usr.sbin.nosuch", "broken"].map((file) =>
    apparmorProfile(file),
  );

  test("are read with their mode and all their rules, or with the reason why they cannot be read", async () => {
    appendFileSync(join(root, "etc/apparmor.d/broken"), "profile x /x { include <no/such> }\n");
    const answers = await readKind(questions, { shell: view("Y") });
    const [dnsmasq, libvirtd, missing, broken] = answers;
    expect(dnsmasq?.value).toMatchObject({ mode: "enforce" });
    expect(libvirtd?.value).toMatchObject({ mode: "" });
    expect(missing?.value).toBe(absent);
    expect(broken?.unreadable).toContain("no/such");
    const rules = pathRules((dnsmasq?.value as ApparmorProfile | undefined)?.text ?? "");
    expect(rules && ours.filter((path) => allows(rules, path, "r"))).toEqual([
      "/srv/tftpboot/harvester",
      "/srv/tftpboot/harvester/",
      "/srv/tftpboot/harvester/ipxe.efi",
      // A link to Debian's program would be allowed, because all programs may read below /usr/lib; a link to SUSE's
      // would not.
      "/usr/lib/ipxe/ipxe.efi",
      "/var/lib/libvirt/dnsmasq/vlan1.conf",
    ]);
    const { print } = kindOf("apparmorProfile");
    expect(print?.(dnsmasq?.value, questions[0]!)).toEqual(dnsmasq?.lines);
  });

  test("do not exist on a host whose kernel does not use AppArmor", async () => {
    const answers = await readKind(questions, { shell: view("N") });
    expect(answers.map(({ value }) => value)).toEqual(questions.map(() => absent));
  });
});
