import { execFileSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { guestFolder } from "./userland.ts";

const script = `
import os, sys
sys.path.insert(0, sys.argv[1])
from certificates import authority, certificate
from machine import read
authority(sys.argv[2], "some-ca")
certificate(sys.argv[2], "server", "some-ca", "/CN=kube-apiserver", ["DNS:kubernetes", "IP:127.0.0.1"])
certificate(sys.argv[2], "admin", "some-ca", "/O=system:masters/CN=system:admin", use="clientAuth")
# The files that a second node receives when it joins, and a certificate that it issues with them.
joined = sys.argv[2] + "/joined"
os.mkdir(joined)
for name in ("some-ca.crt", "some-ca.key"):
    with open(f"{joined}/{name}", "w") as file:
        file.write(read(f"{sys.argv[2]}/{name}") + "\\n")
authority(joined, "some-ca")
certificate(joined, "second", "some-ca", "/CN=kube-apiserver", ["DNS:kubernetes"])
`;

const [client, server] = ["1.3.6.1.5.5.7.3.2", "1.3.6.1.5.5.7.3.1"];

test.skipIf(!existsSync("/usr/bin/python3") || !existsSync("/usr/bin/openssl"))(
  "a node's certificates are signed by its authority, and valid for a client whose clock is behind",
  () => {
    const folder = mkdtempSync(join(tmpdir(), "furrow-certificates-"));
    try {
      execFileSync("/usr/bin/python3", ["-B", "-c", script, guestFolder, folder]);
      const read = (name: string) => new X509Certificate(readFileSync(join(folder, `${name}.crt`)));
      const authority = read("some-ca");
      expect([authority.subject, authority.ca, authority.keyUsage]).toEqual(["CN=some-ca", true, undefined]);
      const told = ["server", "admin", "joined/second"].map((name) => {
        const one = read(name);
        expect([one.checkIssued(authority), one.verify(authority.publicKey), one.ca]).toEqual([true, true, false]);
        expect(Date.now() - Date.parse(one.validFrom)).toBeGreaterThan(23 * 3_600_000);
        expect(Date.parse(one.validTo) - Date.now()).toBeGreaterThan(3600 * 86_400_000);
        return [one.subject, one.subjectAltName, one.keyUsage];
      });
      expect(Date.now() - Date.parse(authority.validFrom)).toBeGreaterThan(23 * 3_600_000);
      expect(told).toEqual([
        ["CN=kube-apiserver", "DNS:kubernetes, IP Address:127.0.0.1", [server]],
        ["O=system:masters\nCN=system:admin", undefined, [client]],
        ["CN=kube-apiserver", "DNS:kubernetes", [server]],
      ]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);
