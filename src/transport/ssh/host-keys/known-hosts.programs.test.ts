import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { fingerprint } from "./fingerprint.ts";
import { hashedName, judgeHostKey, knownHostsName, namesHost, parseKnownHosts } from "./known-hosts.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-known-hosts-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** A made-up public key in wire format. */
function key(type: string, filling: number): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt32BE(type.length);
  return Buffer.concat([head, Buffer.from(type), Buffer.alloc(32, filling)]);
}

const ed25519 = key("ssh-ed25519", 1);
const other = key("ssh-ed25519", 2);
const ecdsa = key("ecdsa-sha2-nistp256", 3);
const text = (wire: Buffer): string => wire.toString("base64");
const line = (hosts: string, wire = ed25519, type = "ssh-ed25519"): string => `${hosts} ${type} ${text(wire)}`;

describe("parseKnownHosts", () => {
  test("reads lines, comments and markers, and counts lines from 1", () => {
    const file = [
      "# a comment",
      "",
      line("web1"),
      `  ${line("web2,10.0.0.2")} added by hand`,
      `@revoked\t${line("*")}`,
      `@cert-authority ${line("*.example.com")}`,
      "web3 ssh-ed25519",
      "web4 ssh-ed25519 !!!",
      `web5 ssh-rsa ${text(ed25519)}`,
      "1024 35 1234567890 old-protocol-1",
      `@unheard-of ${line("web6")}`,
    ].join("\r\n");
    const { entries, notes, hashed } = parseKnownHosts(file, "kh");
    expect(entries.map(({ line, hosts, revoked }) => ({ line, hosts, revoked }))).toEqual([
      { line: 3, hosts: "web1", revoked: false },
      { line: 4, hosts: "web2,10.0.0.2", revoked: false },
      { line: 5, hosts: "*", revoked: true },
    ]);
    expect(hashed).toBe(false);
    expect(notes).toEqual([
      'kh:6: @cert-authority is ignored: only the transport "openssh" checks host certificates',
      "kh:7: not a host key line, ignored",
      "kh:8: not a host key line, ignored",
      "kh:9: not a host key line, ignored",
      "kh:10: not a host key line, ignored",
      "kh:11: the marker @unheard-of is unknown, line ignored",
    ]);
  });

  test("detects that the file hashes its names", () => {
    expect(parseKnownHosts(`${line("a")}\n${line(hashedName("b", Buffer.alloc(20)))}\n`, "kh").hashed).toBe(true);
  });
});

const naming: [hosts: string, name: string, matches: boolean][] = [
  ["web1", "web1", true],
  ["web1", "web10", false],
  ["web1,web2", "web2", true],
  ["WEB1", "web1", true],
  ["web?", "web1", true],
  ["web?", "web12", false],
  ["*.example.com", "a.b.example.com", true],
  ["*.example.com", "example.com", false],
  ["*.example.com,!bad.example.com", "bad.example.com", false],
  ["!bad.example.com,*.example.com", "bad.example.com", false],
  ["!bad.example.com,*.example.com", "good.example.com", true],
  ["!other", "web1", false],
  ["10.0.0.*", "10.0.0.7", true],
  ["10.0.0.1", "10x0y0z1", false],
  ["[web1]:2222", "[web1]:2222", true],
  ["[web1]:2222", "web1", false],
  ["web1", "[web1]:2222", false],
  ["[*.example.com]:2222", "[a.example.com]:2222", true],
  ["[web1]:*", "[web1]:2222", true],
  [hashedName("web1", Buffer.alloc(20, 7)), "web1", true],
  [hashedName("web1", Buffer.alloc(20, 7)), "web2", false],
  [hashedName("[web1]:2222", Buffer.alloc(20, 9)), "[web1]:2222", true],
  ["|2|AAAA|BBBB", "web1", false],
  ["|1|AAAA", "web1", false],
];

describe("namesHost", () => {
  test.each(naming)("%s names %s: %s", (hosts, name, matches) => {
    expect(namesHost(hosts, name)).toBe(matches);
  });

  test("agrees with ssh-keygen -F in every case", () => {
    const file = join(folder, "known_hosts");
    const found = naming.map(([hosts, name]) => {
      writeFileSync(file, `${line(hosts)}\n`);
      try {
        return execFileSync("ssh-keygen", ["-F", name, "-f", file], { stdio: ["ignore", "pipe", "ignore"] }).length > 0;
      } catch {
        return false;
      }
    });
    expect(found).toEqual(naming.map(([, , matches]) => matches));
  });
});

describe("judgeHostKey", () => {
  const judge = (lines: string[], port = 22, wire = ed25519): string => {
    const verdict = judgeHostKey(parseKnownHosts(lines.join("\n"), "kh").entries, "Web1", port, wire);
    return verdict.is === "unknown" ? "unknown" : `${verdict.is} kh:${verdict.entry.line}`;
  };

  test.each<[string, string[], number | undefined, string]>([
    ["an equal key", [line("web1")], 22, "known kh:1"],
    ["a file without the host", [line("web2")], 22, "unknown"],
    ["another key", [line("web1", other)], 22, "changed kh:1"],
    ["another key before the right one", [line("web1", other), line("web1")], 22, "known kh:2"],
    ["only a key of another type", [line("web1", ecdsa, "ecdsa-sha2-nistp256")], 22, "changed kh:1"],
    [
      "two other keys, and names the one of the same type",
      [line("web1", ecdsa, "ecdsa-sha2-nistp256"), line("web1", other)],
      22,
      "changed kh:2",
    ],
    ["a key that is revoked for all hosts", [line("web1"), `@revoked ${line("*")}`], 22, "revoked kh:2"],
    ["a key that is revoked for another host", [line("web1"), `@revoked ${line("db*")}`], 22, "known kh:1"],
    ["a host whose other key is revoked", [line("web1"), `@revoked ${line("*", other)}`], 22, "known kh:1"],
    ["a revoked key on another port", [`@revoked ${line("web1")}`, line("[web1]:2222")], 2222, "revoked kh:1"],
    ["a key that is listed with the port", [line("[web1]:2222")], 2222, "known kh:1"],
    ["another key that is listed with the port", [line("[web1]:2222", other)], 2222, "changed kh:1"],
    ["a key that is listed without the port", [line("web1")], 2222, "known kh:1"],
    ["another key that is listed without the port as unknown, not as changed", [line("web1", other)], 2222, "unknown"],
    ["a certificate authority as unknown", [`@cert-authority ${line("*")}`], 22, "unknown"],
  ])("judges %s", (_what, lines, port, verdict) => {
    expect(judge(lines, port)).toBe(verdict);
  });
});

test("uses OpenSSH's names and fingerprints", () => {
  expect(knownHostsName("Web1.Example.com", 22)).toBe("web1.example.com");
  expect(knownHostsName("::1", 2222)).toBe("[::1]:2222");
  const path = join(folder, "id");
  execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", path]);
  const [, size] = execFileSync("ssh-keygen", ["-lf", path], { encoding: "utf8" }).split(" ");
  const wire = execFileSync("cut", ["-d ", "-f2", `${path}.pub`], { encoding: "utf8" });
  expect(fingerprint(Buffer.from(wire, "base64"))).toBe(size);
});
