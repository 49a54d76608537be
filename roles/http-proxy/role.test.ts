import { beforeEach, describe, expect, test } from "vitest";
import { redact } from "../../src/core/secrets/redact.ts";
import { forgetSecrets, reveal, secretOf } from "../../src/core/secrets/secret.ts";
import { hideSecrets } from "../../src/core/secrets/secret-schema.ts";
import { answersOf, nodeOf, type Objects, serviceOf, soundCluster } from "../../test/guards/examples.ts";
import { explain } from "../../src/testing/index.ts";
import { coversAddress, coversDomain } from "./coverage.ts";
import { httpProxySchema, proxyText } from "./proxy.ts";
import { proxyFits } from "./proxy-fits.ts";
import { proxyShown } from "./proxy-shown.ts";
import { sealedFieldValue } from "../../src/facts/catalogue.ts";

const noProxy = ["192.168.10.0/24"];

describe("the vars", () => {
  beforeEach(forgetSecrets);
  const issueOf = (vars: object): string => {
    const [issue] = httpProxySchema.safeParse({ kubeconfig: "k", noProxy, ...vars }).error?.issues ?? [];
    return `${issue?.path.join(".")}: ${issue?.message}`;
  };

  test.each([
    ["a proxy without a scheme", { httpProxy: "proxy:3128" }, "httpProxy: a URL like http://proxy.example.org:3128"],
    ["a proxy with a path", { httpsProxy: "http://proxy/a" }, "httpsProxy: a URL like"],
    ["no noProxy", { noProxy: [] }, "noProxy: at least the addresses of the nodes"],
    ["two entries in one", { noProxy: ["a,b"] }, "noProxy.0: an address, a subnet, or a name"],
    ["a wrong subnet", { noProxy: ["10.0.0.0/33"] }, "noProxy.0: a subnet such as 192.168.10.0/24"],
  ])("refuse %s", (_what, vars, says) => {
    expect(issueOf(vars)).toContain(says);
  });

  test("keep a proxy's URL secret, however it is given, and write Harvester's JSON", () => {
    for (const httpProxy of ["http://me:pass@proxy:3128", secretOf("http://me:pass@proxy:3128", "proxy")]) {
      const text = proxyText(httpProxySchema.parse({ kubeconfig: "k", httpProxy, noProxy: [...noProxy, ".lan"] }));
      expect(text).not.toContain("pass");
      expect(JSON.parse(reveal(text))).toEqual({
        httpProxy: "http://me:pass@proxy:3128",
        noProxy: "192.168.10.0/24,.lan",
      });
    }
  });

  test.each([
    ["a wrong URL that is an ordinary word", "internal"],
    ["a URL without a password", "http://proxy:3128"],
    ["a user and a password that are ordinary words", "http://proxy:internal@proxy:3128"],
    ["a short password", "http://a:b@proxy:3128"],
  ])("hide no ordinary words for %s", (_what, httpProxy) => {
    const vars = { kubeconfig: "k", httpProxy, noProxy: ["internal"] };
    hideSecrets(httpProxySchema, vars);
    const read = httpProxySchema.safeParse(vars).data;
    if (read !== undefined) proxyText(read);
    const text = "playbooks/ops/http-proxy.ts cannot reach internal, a:3128 or http://proxy.example.org:3128";
    expect(redact(text)).toBe(text);
  });

  test.each([
    ["me:pass", "http://me:pass@proxy:3128"],
    ["a:b", "https://a:b@proxy:3128"],
    ["proxy:internal", "http://proxy:internal@proxy:3128"],
    ["s3cret-pass", "http://me:s3cret-pass@proxy:3128"],
    ["s3cret@pass", "http://me:s3cret%40pass@proxy:3128"],
    ["late:word", "late:word@proxy:3128"],
    ["ghp_T0KEN@", "http://ghp_T0KEN@proxy:3128"],
    ["ghp_TOKEN", "http://ghp_TOKEN@proxy:3128"],
  ])("hide %s in every output for %s, valid or not", (login, httpProxy) => {
    const vars = { kubeconfig: "k", httpProxy, noProxy };
    hideSecrets(httpProxySchema, vars);
    httpProxySchema.safeParse(vars);
    for (const text of [`"${login}"`, `for ${httpProxy} `, `${login}@other`]) expect(redact(text)).not.toContain(login);
  });

  test("still set noProxy without a proxy, because Harvester cannot read an empty value", () => {
    expect(proxyText(httpProxySchema.parse({ kubeconfig: "k", noProxy }))).toBe('{"noProxy":"192.168.10.0/24"}');
  });
});

test.each([
  ["192.168.10.11", ["192.168.10.0/28"], true],
  ["192.168.10.16", ["192.168.10.0/28"], false],
  ["192.168.10.11", ["192.168.10.11"], true],
  ["10.52.3.0/24", ["10.0.0.0/8"], true],
  ["10.0.0.0/7", ["10.0.0.0/8"], false],
  ["fd00::11", ["fd00::/64"], true],
  ["fd01::11", ["fd00::/64"], false],
  ["fd00:0:0:0:0:0:0:1", ["fd00::1"], true],
  ["192.168.10.11", ["::/0", "*", "harvester-1"], false],
  ["not an address", ["0.0.0.0/0"], false],
] as const)("%s in %j: %s", (address, entries, is) => {
  expect(coversAddress(entries, address)).toBe(is);
});

test.each([
  ["cluster.local", [".cluster.local"], true],
  ["cluster.local", ["cluster.local"], true],
  ["cluster.local", ["*.LOCAL"], true],
  ["cluster.local", ["ster.local"], false],
  ["lab.internal", [".cluster.local", "*", "."], false],
] as const)("%s in %j: %s", (domain, entries, is) => {
  expect(coversDomain(entries, domain)).toBe(is);
});

describe("a proxy", () => {
  const ask = (
    entries: readonly string[],
    cluster: Partial<Objects> = {},
    clusterDomain = "cluster.local",
    ip = "192.168.10.10",
  ) =>
    explain(proxyFits({ kubeconfig: "k", noProxy: [...entries], clusterDomain }), {
      ...answersOf({ ...soundCluster, ...cluster }),
      vip: { found: true, object: { kind: "ConfigMap", metadata: { name: "vip" }, data: { enabled: "true", ip } } },
    }).refusal?.message;

  test("is accepted if the cluster's own addresses are reached without it", () => {
    expect(ask(noProxy)).toBeUndefined();
  });

  test("is refused, and the error lists every address that noProxy lacks", () => {
    const services = [serviceOf("kubernetes", "172.30.0.1"), serviceOf("dns", "10.53.0.10")];
    expect(ask(["harvester-1"], { services }, "lab.internal")).toBe(
      "noProxy lacks addresses that the cluster itself uses: nodes: 192.168.10.11, 192.168.10.12, 192.168.10.13; virtual address: 192.168.10.10; " +
        "services: 172.30.0.1; domain: .lab.internal",
    );
    const node = structuredClone(nodeOf("harvester-1")) as { spec: { podCIDRs: string[] } };
    node.spec.podCIDRs = ["172.16.0.0/24"];
    expect(ask(noProxy, { nodes: [node] })).toContain("uses: pods: 172.16.0.0/24");
  });

  test("is refused if only Harvester's own additions cover the nodes, because its webhook refuses that too", () => {
    const node = structuredClone(nodeOf("harvester-1")) as { status: { addresses: object[] } };
    node.status.addresses = [{ type: "InternalIP", address: "10.1.2.3" }];
    expect(ask([".lan"], { nodes: [node] }, "cluster.local", "10.1.2.2")).toBe(
      "noProxy lacks addresses that the cluster itself uses: nodes: 10.1.2.3",
    );
  });

  test("is refused if a node does not report its addresses", () => {
    const node = structuredClone(nodeOf("harvester-1")) as { status: { addresses: object[] } };
    node.status.addresses = [{ type: "Hostname", address: "harvester-1" }];
    expect(ask(noProxy, { nodes: [node] })).toContain("no InternalIP or no subnet for pods on harvester-1");
  });
});

describe("because the setting's value is a single secret text, the notes say", () => {
  const url = "http://me:pass@proxy:3128";
  const notes = (before: object | string | undefined, vars: object): readonly string[] => {
    const value = typeof before === "object" ? JSON.stringify(before) : before;
    const object = { kind: "Setting", metadata: { name: "http-proxy" }, value };
    const { httpProxy, httpsProxy, noProxy: none } = httpProxySchema.parse({ kubeconfig: "k", noProxy, ...vars });
    const proxies = { ...(httpProxy && { httpProxy }), ...(httpsProxy && { httpsProxy }) };
    const call = proxyShown({ kubeconfig: "k", ...proxies, noProxy: none });
    const said = explain(call, { setting: { found: true, object } }).notes;
    expect(said.join()).not.toMatch(/:pass|other-pass|me:|sealed/);
    return said;
  };
  const now = { httpProxy: sealedFieldValue(url), noProxy: "192.168.10.0/24" };

  test("nothing if nothing changes", () => {
    expect(notes(now, { httpProxy: url })).toEqual([]);
  });

  test("that the proxy is removed, and whether the cluster then uses none", () => {
    expect(notes(now, {})).toEqual(["the proxy for http:// URLs is removed", "the cluster then uses no proxy"]);
    expect(notes({ ...now, httpsProxy: "sealed:x" }, { httpProxy: url })).toEqual([
      "the proxy for https:// URLs is removed",
    ]);
  });

  test("that its password changes, or that it is new", () => {
    expect(notes(now, { httpProxy: "http://me:other-pass@proxy:3128" })).toEqual([
      "the proxy for http:// URLs gets another URL, user or password",
    ]);
    for (const before of [undefined, "", "{}"])
      expect(notes(before, { httpsProxy: url })).toEqual([
        "a proxy for https:// URLs is set",
        "noProxy gets 192.168.10.0/24",
      ]);
  });

  test("which entries of noProxy come and go", () => {
    expect(
      notes({ ...now, noProxy: "192.168.10.0/24,.lan" }, { httpProxy: url, noProxy: ["192.168.10.0/24", ".x"] }),
    ).toEqual(["noProxy gets .x", "noProxy loses .lan"]);
    expect(
      notes({ ...now, noProxy: ".x, 192.168.10.0/24" }, { httpProxy: url, noProxy: ["192.168.10.0/24", ".x"] }),
    ).toEqual(["only the order or the spelling of noProxy changes"]);
  });

  test("that the present value cannot be read", () => {
    expect(notes("sealed:x", {})).toEqual(["the setting http-proxy has a value that furrow cannot read"]);
  });
});
