import { describe, expect, test } from "vitest";
import { explain } from "../../src/testing/index.ts";
import { certificateFits, serverUrlCovered } from "./certificate-fits.ts";
import { nameResolves } from "./name-resolves.ts";
import { placeOf, uiCertificateSchema } from "./ui.ts";
import { uiServes } from "./ui-serves.ts";

const kubeconfig = "k";
const name = "harvester.example.org";
const vip = { found: true, object: { kind: "ConfigMap", metadata: { name: "vip" }, data: { ip: "192.168.10.10" } } };
const files = { certificateFile: "ui.crt", keyFile: "ui.key" };

test.each([
  ["a name without a scheme", { url: name }, "url: a URL with a name"],
  ["http", { url: `http://${name}` }, "url: a URL with a name"],
  ["a path", { url: `https://${name}/dashboard` }, "url: a URL with a name"],
  ["no key", { url: `https://${name}`, keyFile: undefined }, "keyFile: "],
])("refuses %s", (_what, vars, says) => {
  const [issue] = uiCertificateSchema.safeParse({ kubeconfig, ...files, ...vars }).error?.issues ?? [];
  expect(`${issue?.path.join(".")}: ${issue?.message}`).toContain(says);
});

test("a URL's port is 443 unless the URL names another one", () => {
  expect([placeOf(`https://${name}`), placeOf(`https://${name}:8443`), placeOf("https://[fd00::1]")]).toEqual([
    { host: name, port: 443 },
    { host: name, port: 8443 },
    { host: "fd00::1", port: 443 },
  ]);
});

describe("a certificate", () => {
  const leaf = {
    subject: `CN=${name}`,
    issuer: "CN=root",
    notBefore: "2026-01-01T00:00:00Z",
    notAfter: "2027-01-01T00:00:00Z",
    names: [name, "192.168.10.10"],
  };
  const sound = { certificates: [leaf], matchesKey: true, uncovered: [] as string[] };
  const ask = (given: object, since = "2026-06-01T00:00:00Z") =>
    explain(certificateFits({ kubeconfig, name, certificate: "c", key: "k", minimumDays: 7 }), {
      vip,
      operator: { who: "me@here", since },
      given: { ...sound, ...given },
    });

  test("fits if it is for the name and the virtual address; a note says when it expires", () => {
    const { refusal, notes } = ask({});
    expect([refusal, notes]).toEqual([undefined, ["the certificate expires at 2027-01-01T00:00:00Z"]]);
    expect(ask({}, "2026-12-10T12:00:00Z").notes).toEqual([
      "the certificate expires at 2027-01-01T00:00:00Z, in 21 days: renew it and run this again",
    ]);
  });

  test.each([
    ["its key does not match", { matchesKey: false }, "the private key is not that of the first certificate"],
    ["its chain is broken", { chainProblem: "the issuer of x is missing" }, "the issuer of x is missing"],
    ["it is not for the name", { uncovered: [name] }, `is for ${name}, 192.168.10.10, and not for ${name}`],
    ["it is not for the virtual address", { uncovered: ["192.168.10.10"] }, "and not for 192.168.10.10"],
    ["it has expired", { certificates: [{ ...leaf, notAfter: "2026-05-01T00:00:00Z" }] }, "expired at 2026-05-01"],
    [
      "it expires soon",
      { certificates: [{ ...leaf, notAfter: "2026-06-05T00:00:00Z" }] },
      "in 4 days, but must be valid for 7",
    ],
    ["it is not valid yet", { certificates: [{ ...leaf, notBefore: "2026-07-01T00:00:00Z" }] }, "not valid before"],
    [
      "an intermediate certificate has expired",
      { certificates: [leaf, { ...leaf, subject: "CN=between", notAfter: "2026-05-01T00:00:00Z" }] },
      "the certificate of CN=between expired at",
    ],
  ])("is refused if %s", (_what, given, says) => {
    expect(ask(given).refusal?.message).toContain(says);
  });

  test("is refused if it cannot be read", () => {
    const now = { vip, operator: { who: "me", since: "2026-06-01T00:00:00Z" }, given: { problem: "no PEM" } };
    const call = certificateFits({ kubeconfig, name, certificate: "c", key: "k", minimumDays: 7 });
    expect(explain(call, now).refusal?.message).toBe("no PEM");
  });

  const joining = (url: object, uncovered: string[] = []) =>
    explain(serverUrlCovered({ kubeconfig, certificate: "c", key: "k" }), { url, given: { ...sound, uncovered } });
  const settingWith = (more: object): object => ({
    found: true,
    object: { kind: "Setting", metadata: { name: "server-url" }, ...more },
  });

  test.each([
    ["the cluster has no such setting", { found: false }, "the cluster does not have Rancher's setting server-url"],
    ["it has no value", settingWith({}), "has no valid URL"],
    ["its value is not a URL", settingWith({ value: "harvester.example.org" }), "has no valid URL"],
  ])("is refused if the URL at which nodes join cannot be read: %s", (_what, url, says) => {
    const { refusal } = joining(url);
    expect(refusal?.code).toBe("cluster-not-seen");
    expect(refusal?.message).toContain(says);
  });

  test("is not compared with an empty URL, and a note says so", () => {
    const { refusal, notes } = joining(settingWith({ value: "" }));
    expect([refusal, notes]).toEqual([
      undefined,
      ["Rancher's setting server-url is empty, so there is no host that the certificate must cover"],
    ]);
  });

  test("is refused if it is not for the URL at which nodes join", () => {
    const join = (url: string, uncovered: string[]) => joining(settingWith({ value: url }), uncovered).refusal?.message;
    expect(join("https://192.168.10.10", [])).toBeUndefined();
    expect(join("https://old.example.org", ["old.example.org"])).toContain(
      "server-url setting points nodes at old.example.org, which the certificate does not cover: nodes could no longer join",
    );
  });
});

describe("a name", () => {
  const ask = (found: object, addresses?: string[]) =>
    explain(nameResolves({ kubeconfig, name, ...(addresses && { addresses }) }), { vip, found }).refusal?.message;

  test("must resolve to the virtual address, or to an address that the vars list", () => {
    expect(ask({ addresses: ["192.168.10.10"] })).toBeUndefined();
    expect(ask({ addresses: ["10.0.0.1"] })).toBe(`${name} has the address 10.0.0.1, not 192.168.10.10`);
    expect(ask({ addresses: ["10.0.0.1"] }, ["10.0.0.1"])).toBeUndefined();
    expect(ask({ error: { code: "ENOTFOUND", message: "getaddrinfo ENOTFOUND" } })).toContain("finds no address");
  });
});

test("the wait ends when the UI serves the given certificate, and not while it still serves the old one", () => {
  const ask = (served: object) =>
    explain(uiServes({ kubeconfig, name, port: 443, fingerprint: "AA:01" }), { vip, served }).refusal?.message;
  const notAfter = "2027-01-01T00:00:00Z";
  const certificate = { subject: "CN=dynamic", issuer: "", notBefore: "", notAfter, names: [], fingerprint: "AA:01" };
  expect(ask({ certificate: { ...certificate, fingerprint: "BB:02" } })).toBe(
    "192.168.10.10:443 still presents another certificate (CN=dynamic, until 2027-01-01T00:00:00Z): it is not the one in certificateFile",
  );
  expect(ask({ certificate })).toBeUndefined();
  expect(ask({ certificate, untrusted: "SELF_SIGNED_CERT_IN_CHAIN" })).toBe(
    "192.168.10.10:443 still presents another certificate (CN=dynamic, until 2027-01-01T00:00:00Z): SELF_SIGNED_CERT_IN_CHAIN",
  );
  expect(ask({ error: { code: "ECONNREFUSED", message: "connect ECONNREFUSED" } })).toContain(
    "presents no certificate",
  );
});
