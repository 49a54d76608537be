import { existsSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type LoopHost, loopHost } from "../../test/disk/loop-host.ts";
import { caCertificate } from "./ca-certificate.ts";
import { otherRoot, root } from "./certificates.fixture.ts";

const hasStore = existsSync("/usr/sbin/update-ca-certificates") && existsSync("/usr/bin/openssl");
if (!hasStore) process.stderr.write("skipped without update-ca-certificates and openssl: trusted certificates\n");

const name = "furrow-test-root";
const call = caCertificate({ name, content: root });
const removal = caCertificate({ name, state: "absent" });

describe.runIf(hasStore)("caCertificate with Debian's own programs", () => {
  // The host has its own /etc and its own folder of certificates, so this machine's bundle stays unchanged. It has only
  // a few of Mozilla's certificates, because update-ca-certificates starts several processes for each of them.
  let host: LoopHost;
  const certificates = "/usr/local/share/ca-certificates";
  beforeAll(async () => {
    host = await loopHost();
    await host.sh(`mount -t tmpfs tmpfs ${certificates}; rm -f /etc/ca-certificates/update.d/*; sleep 0.1
grep -v '^[#!]' /etc/ca-certificates.conf | head -n 3 >/etc/three; mv /etc/three /etc/ca-certificates.conf
update-ca-certificates --fresh; cat >${host.folder}/root.pem <<'END'
${root}END
cat >${host.folder}/other.pem <<'END'
${otherRoot}END`);
  });
  afterAll(() => host.close());

  /** Returns whether OpenSSL trusts a certificate: through the bundle, then through the folder with hashed names. */
  const trusted = (file: string): Promise<string> =>
    host.sh(`for how in "-CAfile /etc/ssl/certs/ca-certificates.crt" "-no-CAfile -CApath /etc/ssl/certs"; do
openssl verify $how ${host.folder}/${file}.pem >/dev/null 2>&1 && printf yes || printf no
done`);

  test("makes programs trust the certificate, as check mode predicted; a second run changes nothing", async () => {
    expect(await host.check(call)).toMatchObject([{ outcome: "changed" }]);
    expect(await trusted("root")).toBe("nono");
    expect(await host.apply(call)).toMatchObject([{ outcome: "changed" }]);
    expect(await trusted("root")).toBe("yesyes");
    expect(await host.apply(call)).toMatchObject([{ outcome: "ok", steps: [] }]);
  });

  test("replaces the certificate with another one of the same name, in the bundle and in the folder", async () => {
    const renewed = caCertificate({ name, content: otherRoot });
    expect(await host.apply(renewed)).toMatchObject([{ outcome: "changed" }]);
    expect([await trusted("root"), await trusted("other")]).toEqual(["nono", "yesyes"]);
    expect(await host.apply(renewed)).toMatchObject([{ outcome: "ok" }]);
  });

  test("builds the bundle if an earlier run did not", async () => {
    await host.sh(`cp ${host.folder}/root.pem ${certificates}/${name}.crt`);
    expect(await trusted("root")).toBe("nono");
    expect(await host.apply(call)).toMatchObject([{ outcome: "changed", steps: ["update-ca-certificates --fresh"] }]);
    expect(await trusted("root")).toBe("yesyes");
  });

  test("removes the certificate, even after a run that was stopped before the bundle was built", async () => {
    await host.sh(`rm ${certificates}/${name}.crt`);
    expect(await trusted("root")).toContain("yes");
    expect(await host.check(removal)).toMatchObject([{ outcome: "changed" }]);
    expect(await host.apply(removal)).toMatchObject([{ outcome: "changed" }]);
    expect(await trusted("root")).toBe("nono");
    expect(await host.apply(removal)).toMatchObject([{ outcome: "ok" }]);
  });

  test("converges even if the clock was set back", async () => {
    await host.sh(`touch -d "+1 hour" ${certificates}`);
    expect(await host.apply(removal)).toMatchObject([{ outcome: "changed" }]);
    expect(await host.apply(removal)).toMatchObject([{ outcome: "ok" }]);
  });
});

/** The update programs of other distributions; the stand-in builds the bundle as p11-kit's `trust extract` does. */
const others = [
  {
    layout: "SUSE",
    program: "update-ca-certificates",
    anchors: "/etc/pki/trust/anchors",
    bundle: "/var/lib/ca-certificates/ca-bundle.pem",
    words: "--fresh",
  },
  {
    layout: "Red Hat",
    program: "update-ca-trust",
    anchors: "/etc/pki/ca-trust/source/anchors",
    bundle: "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    words: "extract",
  },
];

describe.each(others)("caCertificate with a stand-in for the update program of $layout", (other) => {
  let host: LoopHost;
  const oldPath = process.env["PATH"] ?? "";
  beforeAll(async () => {
    host = await loopHost();
    const programs = `${host.folder}/programs`;
    await host.sh(`mkdir -p ${programs} ${other.anchors}; mount -t tmpfs tmpfs /var/lib
mkdir -p $(dirname ${other.bundle})
cat >${programs}/${other.program} <<'END'
#!/bin/sh
[ "$*" = ${other.words} ] || exit 1
cat ${other.anchors}/* >${other.bundle}.new 2>/dev/null; mv ${other.bundle}.new ${other.bundle}
END
chmod +x ${programs}/*; sleep 0.1; touch ${other.bundle}`);
    process.env["PATH"] = `${programs}:${oldPath}`;
  });
  afterAll(async () => {
    process.env["PATH"] = oldPath;
    await host.close();
  });

  test("makes the certificate trusted, and removes it again", async () => {
    expect(await host.apply(call)).toMatchObject([{ outcome: "changed" }]);
    expect(await host.sh(`cat ${other.anchors}/${name}.pem ${other.bundle}`)).toBe(root + root);
    expect(await host.apply(call)).toMatchObject([{ outcome: "ok" }]);
    expect(await host.apply(removal)).toMatchObject([{ outcome: "changed" }]);
    expect(await host.sh(`cat ${other.bundle}; ls ${other.anchors}`)).toBe("");
    expect(await host.apply(removal)).toMatchObject([{ outcome: "ok" }]);
  });
});
