import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { corpus, lay, listed, withoutSecrets } from "./harness.ts";

const root = mkdtempSync(join(tmpdir(), "furrow-recorded-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const recorded = new Map(
  readFileSync(join(import.meta.dirname, "recorded.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { name: string; listed: unknown })
    .map(({ name, listed: said }) => [name, said]),
);

describe("ansible-inventory's output for the corpus", () => {
  it.each(corpus.map((one) => [one.name, one] as const))("%s", async (name, one) => {
    const ours = await listed(lay(one, root));
    expect(ours).toEqual(withoutSecrets(recorded.get(name), ours));
  });
});

describe("recorded output of ansible-inventory --list", () => {
  const named = corpus.filter(({ files }) => !JSON.stringify(files).includes("$ANSIBLE_VAULT"));

  it.each(named.map(({ name }) => [name]))("is read like the inventory that it lists: %s", async (name) => {
    const files = { "hosts.json": JSON.stringify(recorded.get(name)) };
    const ours = await listed(lay({ name: `kept ${name}`, files, inventories: ["hosts.json"] }, root));
    expect(ours).toEqual(withoutSecrets(recorded.get(name), ours));
  });

  it("is also read with --export, where groups keep their vars", async () => {
    const exported = {
      _meta: { hostvars: { h1: { own: 1 } } },
      all: { children: ["ungrouped", "web"], vars: { everywhere: true, shared: "all" } },
      web: { hosts: ["h1", "h2"], vars: { shared: "web" } },
    };
    const laid = lay({ name: "exported", files: { hosts: JSON.stringify(exported) } }, root);
    expect(await listed(laid)).toMatchObject({
      _meta: {
        hostvars: {
          h1: { everywhere: true, shared: "web", own: 1 },
          h2: { everywhere: true, shared: "web" },
        },
      },
      web: { hosts: ["h1", "h2"] },
    });
  });
});

describe("a file whose format is not the one that its name suggests", () => {
  it("is read as INI if a .yml file contains INI, as in Ansible", async () => {
    const laid = lay(
      { name: "ini in yml", files: { "hosts.yml": "[web]\nh1 port=1\nh2\n" }, inventories: ["hosts.yml"] },
      root,
    );
    expect(await listed(laid)).toMatchObject({
      _meta: { hostvars: { h1: { port: 1 } } },
      web: { hosts: ["h1", "h2"] },
    });
  });

  it("is reported as broken YAML if a .yml file contains broken YAML", async () => {
    const laid = lay(
      { name: "broken", files: { "hosts.yml": "all:\n  hosts: { h1: \n" }, inventories: ["hosts.yml"] },
      root,
    );
    await expect(listed(laid)).rejects.toMatchObject({
      failure: { current: expect.stringMatching(/^Flow map .* at line 2, column 16$/) },
    });
  });

  it("is refused if it is TOML, with the command that converts it", async () => {
    const laid = lay({ name: "toml", files: { "h.toml": "[web.hosts]\nh1 = {}\n" }, inventories: ["h.toml"] }, root);
    await expect(listed(laid)).rejects.toMatchObject({
      failure: { hint: expect.stringMatching(/^Convert it: ansible-inventory -i .*h\.toml --list --export/) },
    });
  });
});
