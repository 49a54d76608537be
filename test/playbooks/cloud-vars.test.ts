import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import destroyCloud from "../../playbooks/clouds/destroy-cloud.ts";
import aws from "../../playbooks/clouds/provision-aws.ts";
import azure from "../../playbooks/clouds/provision-azure.ts";
import digitalOcean from "../../playbooks/clouds/provision-digitalocean.ts";
import gcp from "../../playbooks/clouds/provision-gcp.ts";
import type { Playbook } from "../../src/core/authoring/playbook.ts";
import type { FurrowError } from "../../src/core/errors.ts";
import { checkVars, declaredNames } from "../../src/load/vars/check-vars.ts";
import { mergeHosts } from "../../src/load/vars/precedence.ts";
import { simulate } from "../../src/testing/index.ts";

const publicKey = "ssh-ed25519 AAAA me@here";
const wanted = { publicKey, manageFrom: ["192.0.2.7/32"] };

/** The error for these vars on the command line; undefined if they are accepted. */
async function errorOf(book: Playbook, vars: object): Promise<FurrowError["failure"] | undefined> {
  const flags = Object.fromEntries(Object.entries(vars).map(([name, value]) => [name, { value, origin: "--var" }]));
  const hosts = mergeHosts({ hosts: { local: {} } }, { vars: flags, connection: {} });
  try {
    await checkVars({ path: "cloud.ts", playbook: book }, hosts, "local");
    return undefined;
  } catch (error) {
    const { code, failure } = error as FurrowError;
    if (code !== "E_VARS") throw error;
    return failure;
  }
}

const project = "harvester-lab-1234";
const plain: readonly (readonly [string, Playbook, object])[] = [
  ["aws", aws, {}],
  ["gcp", gcp, { project }],
  ["digitalocean", digitalOcean, {}],
  ["azure", azure, {}],
];

test.each(plain)("the vars of provision-%s fit the params of all tasks", async (_, book, vars) => {
  expect(await errorOf(book, { ...wanted, ...vars })).toBeUndefined();
  const { tasks } = await simulate(book, { hosts: ["local"], vars: { ...wanted, ...vars } });
  expect(tasks.length).toBeGreaterThan(0);
});

test.each([
  ["aws", "publicKey", ""],
  ["aws", "publicKey", "ecdsa-sha2-nistp256 AAAA"],
  ["aws", "region", "fra1"],
  ["aws", "vpcCidr", "10.20.0.0/8"],
  ["aws", "type", "large"],
  ["aws", "image", { id: "debian-12" }],
  ["aws", "image", { owner: "Debian", name: "debian-12" }],
  ["aws", "vpc", "my vpc"],
  ["aws", "subnet", "my subnet"],
  ["aws", "instanceProfile", "a/b"],
  ["aws", "manageFrom", ["192.0.2.7"]],
  ["aws", "dataDiskGb", 70_000],
  ["aws", "prefix", "lab-"],
  ["gcp", "publicKey", "~/.ssh/id_ed25519.pub"],
  ["gcp", "project", "My Project"],
  ["gcp", "zone", "europe-west3"],
  ["gcp", "subnetCidr", "10.20.0.1/24"],
  ["gcp", "network", "My Network"],
  ["gcp", "type", "N4 large"],
  ["gcp", "image", { project: "debian-cloud", family: "Debian 12" }],
  ["gcp", "login", "Ann"],
  ["gcp", "osLoginAccount", "ann"],
  ["gcp", "diskType", "pd balanced"],
  ["gcp", "manageFrom", ["192.0.2.7"]],
  ["gcp", "manageFrom", []],
  ["digitalocean", "publicKey", "id_ed25519.pub"],
  ["digitalocean", "region", "eu-central-1"],
  ["digitalocean", "image", "Debian 12"],
  ["digitalocean", "type", "large"],
  ["digitalocean", "vpc", "default"],
  ["digitalocean", "manageFrom", ["192.0.2.7"]],
  ["digitalocean", "dataDiskGb", 20_000],
  ["azure", "publicKey", "ecdsa-sha2-nistp256 AAAA"],
  ["azure", "location", "West Europe"],
  ["azure", "image", "debian-12"],
  ["azure", "login", "admin"],
  ["azure", "type", "large"],
  ["azure", "networkCidr", "10.20.0.1/16"],
  ["azure", "subnetCidr", "10.20.0.0/30"],
  ["azure", "azureSubscription", "mine"],
  ["azure", "manageFrom", []],
  ["azure", "rootDiskGb", 5000],
] as const)("provision-%s reports a wrong %s as a wrong var, once", async (cloud, name, value) => {
  const [, book, vars] = plain.find(([one]) => one === cloud) ?? [];
  if (book === undefined) throw new TypeError(cloud);
  const failure = await errorOf(book, { ...wanted, ...vars, [name]: value });
  expect(failure?.what).toMatch(new RegExp(`^the var "${name}[\\w.]*" has a wrong value$`));
  expect(failure?.details).toBeUndefined();
  expect(failure?.expected).toMatch(/like|at most|at least|UUID|profile|allows|prefix|first address|account|network/);
  expect(failure?.hint).toBe(`Correct --var ${name}`);
});

const unnamed = "(cloud is not given, so this is AWS EC2; another cloud: --var cloud=digitalocean, --var cloud=azure";

test.each([
  [{ region: "fra1" }, "region", unnamed],
  [{ zone: "europe-west3-a" }, "zone", unnamed],
  [{ project, region: "fra1" }, "region", "(a project is given, so this is Google Cloud;"],
  [{ project: "My Project" }, "project", "the id of a project, like"],
  [{ cloud: "aws", region: "fra1" }, "region", 'a region, like "eu-central-1"'],
  [{ cloud: "digitalocean", region: "eu-central-1" }, "region", 'a region, like "fra1"'],
  [{ cloud: "azure", region: "westeurope" }, "region", "no region, which Azure does not use"],
  [{ cloud: "azure", project }, "project", "no project, which Azure does not use"],
  [{ cloud: "digitalocean", deleteGroup: true }, "deleteGroup", "no deleteGroup, which DigitalOcean does not use"],
  [{ cloud: "gcp", project, zone: "europe-west3" }, "zone", "a zone, like"],
  [{ prefix: "My Lab" }, "prefix", "a name of lower-case letters"],
])(
  "destroy-cloud reports one wrong var in %j, and says for which cloud it checked the vars",
  async (vars, name, expected) => {
    const failure = await errorOf(destroyCloud, { prefix: "lab", ...vars });
    expect(failure).toMatchObject({
      what: `the var "${name}" has a wrong value`,
      expected: expect.stringContaining(expected) as unknown,
      hint: `Correct --var ${name}`,
    });
    expect(failure?.details).toBeUndefined();
  },
);

test("destroy-cloud requires a project for Google Cloud, and accepts the vars of each cloud", async () => {
  expect(await errorOf(destroyCloud, { prefix: "lab", cloud: "gcp" })).toMatchObject({
    what: 'the var "project" is missing',
  });
  for (const vars of [
    { region: "eu-central-1" },
    { project, zone: "europe-west3-b" },
    { cloud: "gcp", project },
    { cloud: "digitalocean", region: "fra1" },
    { cloud: "azure", deleteGroup: true },
  ])
    expect(await errorOf(destroyCloud, { prefix: "lab", ...vars })).toBeUndefined();
});

test.each(plain)("the guide has a table with all vars of provision-%s", (cloud, book) => {
  const guide = readFileSync(join(import.meta.dirname, "../../docs/guides/clouds.md"), "utf8");
  const tables = guide.split(/\n\n/).filter((part) => /^\| var +\| default/.test(part));
  const own = ["aws", "gcp", "digitalocean", "azure"].indexOf(cloud);
  const named = [...(tables[own] ?? "").matchAll(/^\| (`[^|]*`) +\|/gm)].flatMap(([, names = ""]) =>
    [...names.matchAll(/`(\w+)`/g)].map(([, name]) => name),
  );
  expect(new Set(named)).toEqual(new Set(declaredNames(book.vars ?? z.object({}))));
});
