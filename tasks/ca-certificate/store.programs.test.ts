import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { shells } from "../../test/contract/shells.fixture.ts";
import { authorityIn } from "../../src/facts/catalogue.ts";
import { leaf, otherRoot, root as rootCertificate } from "./certificates.fixture.ts";
import { type Layout, places, scriptBelow, storeScript, trustScript } from "./store.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-ca-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** A host of one distribution, with a bundle that has some certificates. */
function hostOf(layout: Layout, bundle: string): { readonly root: string; readonly path: string } {
  const root = mkdtempSync(join(folder, `${layout}-`));
  const [program] = places[layout].program;
  mkdirSync(join(root, "bin"));
  writeFileSync(join(root, "bin", program), "#!/bin/sh\n");
  chmodSync(join(root, "bin", program), 0o755);
  mkdirSync(join(root, places[layout].anchors), { recursive: true });
  const file = join(root, places[layout].bundle);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, bundle);
  utimesSync(join(root, places[layout].anchors), 1000, 1000);
  utimesSync(file, 2000, 2000);
  return { root, path: `${join(root, "bin")}:/usr/bin:/bin` };
}

const keyOf = (pem: string): string => {
  const authority = authorityIn(pem);
  if ("expected" in authority) throw new Error(authority.expected);
  return `${authority.fingerprint} ${pem.replaceAll(/-----[^-]*-----|\s/g, "").slice(-24)}`;
};
const question = (key: string, number: number) => ({ kind: "caTrust", key, facets: [], number });

describe.each(shells.map((shell) => ({ name: shell.join(" "), shell })))("in $name", ({ shell }) => {
  const answer = ({ root, path }: ReturnType<typeof hostOf>, script: string): string => {
    const [program = "", ...words] = shell;
    // This machine's own programs, such as update-ca-certificates, must not be found.
    const own = scriptBelow(root, script).replaceAll(":/usr/sbin:/sbin", "");
    return execFileSync(`/usr/bin/${program}`, [...words, "-c", own], {
      encoding: "utf8",
      env: { PATH: path },
      stdio: ["ignore", "pipe", "inherit"],
    });
  };

  test.each(Object.keys(places) as Layout[])("recognizes the store of %s, and a bundle that is too old", (layout) => {
    const host = hostOf(layout, "");
    const ask = (): string => answer(host, storeScript([question("host", 4)]));
    expect(ask()).toBe(`4 layout=${layout}\n4 outdated=no\n`);
    utimesSync(join(host.root, places[layout].anchors), 3000, 3000);
    expect(ask()).toBe(`4 layout=${layout}\n4 outdated=yes\n`);
    rmSync(join(host.root, places[layout].bundle));
    expect(ask()).toBe(`4 layout=${layout}\n4 outdated=yes\n`);
  });

  test("finds certificates in a bundle, whatever the length of its lines and the text between them", () => {
    const long = otherRoot.replaceAll(/\n(?!-)/g, "").replace("CERTIFICATE-----M", "CERTIFICATE-----\nM");
    const crlf = rootCertificate.replaceAll("\n", "\r\n");
    const host = hostOf("debian", `# Example Root\n${crlf}# Other\nsubject=x\n${long}`);
    const keys = [keyOf(rootCertificate), keyOf(otherRoot)];
    expect(answer(host, trustScript(keys.map(question)))).toBe("0 trusted=yes\n1 trusted=yes\n");
  });

  test("does not match a certificate that only has the same ending, or a fingerprint that only appears in the text", () => {
    const key = keyOf(rootCertificate);
    const [fingerprint = "", tail = ""] = key.split(" ");
    const alike = leaf.replace(/.{24}\n-----END/, `${tail}\n-----END`);
    const host = hostOf("redhat", `${otherRoot}# ${fingerprint}\n${alike}`);
    expect(answer(host, trustScript([question(key, 0)]))).toBe("0 trusted=no\n");
    expect(answer(hostOf("suse", ""), trustScript([question(key, 7)]))).toBe("7 trusted=no\n");
  });
});
