import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { knownKeys } from "../../src/core/params/params.ts";
import type { Playbook } from "../../src/core/authoring/playbook.ts";
import { covered } from "../../test/covered.ts";

const folder = `${import.meta.dirname}/../../playbooks`;
const books = readdirSync(folder).filter((name) => /^harvester.*\.ts$/.test(name));
const given = { disks: ["/dev/a"], token: "t", password: "a password", node: 1, version: "v1.8.1" };

/** Values of every JSON type, which are wrong for most vars. */
const groups: readonly (readonly unknown[])[] = [
  [null, true, false, 0, 1, -1, 33, 2.5, 1e21, Number.MAX_SAFE_INTEGER],
  ["", " ", "x", "0", "-1", "a\nb", "\0", "é", "v1.8", "v99999999999999999999.0.0", "192.168.130.300", "10.0.0.1/33"],
  ["http://", "https://[", "ssh-ed25519 AAAA", "/", "x".repeat(10_000)],
  [[], [null], [[]], [{}], [""], ["", ""], [1, 1], [-1], ["/dev/a", "/dev/a"], ["10.0.0.1/33"], ["0.0.0.0/0"]],
  [{}, { "": 1 }, { __proto__: null, constructor: 1 }, { a: { b: [] } }],
];
const values = groups.flat();

/** The keys of vars that are objects, each with its path. */
const inside: readonly (readonly [name: string, of: (value: unknown) => unknown])[] = [
  ...["name", "bridge", "address", "prefix", "vip", "firstNode"].map((key) => at("network", key)),
  ...["ports", "from"].map((key) => at("exposure", key)),
  ...["times", "intervalSeconds", "deadlineSeconds"].map((key) => at("ready", key)),
  ...["processors", "memoryMiB", "diskGiB"].map((key) =>
    at("size", key, { processors: 1, memoryMiB: 512, diskGiB: 2 }),
  ),
  ...["url", "token", "name", "caCert"].map((key) => at("rancher", key, { url: "https://r.example", token: "t" })),
  ...["to", "identityFile", "password"].map((key) => at("kubeconfig", key)),
  ...["allow", "probe"].map((key) => at("airGap", key)),
  ...["os", "install", "system_settings", "sans"].map((key) => at("config", key)),
  ...["kernel", "initrd", "rootfs", "iso", "checksums"].map((key) => at("artifacts", key)),
  ...["node", "device", "sizeGiB"].map((key) => within("extraDisks", key, { node: 1, device: "/dev/b" })),
  ...["mac", "address"].map((key) => within("adopted", key, { mac: "52:54:00:00:00:01", address: "192.168.130.9" })),
];

function at(name: string, key: string, rest: object = {}) {
  return [name, (value: unknown) => ({ ...rest, [key]: value })] as const;
}

function within(name: string, key: string, rest: object) {
  return [name, (value: unknown) => [{ ...rest, [key]: value }]] as const;
}

describe.each(books)("%s", (name) => {
  test("reports wrong values of its vars instead of throwing", async () => {
    const { default: book } = (await import(`${folder}/${name}`)) as { default: Playbook };
    const schema = book.vars;
    if (schema === undefined) throw new Error(`${name} has no vars`);
    const own = knownKeys(schema);
    const cases = [
      ...own.flatMap((key) => values.map((value) => ({ [key]: value }))),
      ...inside.flatMap(([key, of]) => values.map((value) => ({ [key]: of(value) }))),
      ...[3, 5].flatMap((nodes) => values.map((value) => ({ nodes, removedNodes: value }))),
    ];
    const threw = cases.filter((one) => {
      try {
        schema.safeParse({ ...given, ...one });
        return false;
      } catch {
        return true;
      }
    });
    expect(threw.map((one) => JSON.stringify(one).slice(0, 100))).toEqual([]);
    covered(`${cases.length} wrong values of the vars of ${name}`);
  });
});
