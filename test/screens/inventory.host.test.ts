import { afterAll, describe, expect, it } from "vitest";
import { expectOnPage } from "./on-page.ts";
import { playbookOf, Screens } from "./screens.ts";

const screens = new Screens(
  "In an inventory, in vars and host patterns",
  "furrow finds these mistakes before it connects, and reports them for all hosts together.",
);
afterAll(() => screens.remove());

const site = playbookOf('file({ path: "/tmp/version", content: `${vars.version} on ${vars.nodes}\\n` }),', {
  vars: '\n    z.object({ version: z.string().startsWith("v", "a version like v1.4.0"), nodes: z.number().min(1) })',
});
const inventory = (body: string): string =>
  `import { inventory } from "furrow";\n\nexport default inventory(${body});\n`;
const two = inventory(`{
  hosts: { web1: { address: "192.0.2.7" }, web2: { vars: { nodes: 3 } } },
  groups: { web: { hosts: ["web1", "web2"], vars: { verison: "v1.4.0" } } },
}`);
const fine = inventory(`{
  hosts: { web1: {}, web2: {}, db1: {} },
  groups: { web: { hosts: ["web1", "web2"] }, db: { hosts: ["db1"] } },
  vars: { version: "v1.4.0", nodes: 3 },
}`);

describe("mistakes in inventories, vars and patterns", () => {
  it.each<[title: string, code: string, text: string, args: string[], says: RegExp]>([
    [
      "A misspelled setting",
      "E_INVENTORY",
      inventory('{ hosts: { web1: { adress: "192.0.2.7" } } }'),
      [],
      /Write "address"/,
    ],
    [
      "A group with a host that does not exist",
      "E_INVENTORY",
      inventory('{ hosts: { web1: {} }, groups: { web: { hosts: ["wbe1"] } } }'),
      [],
      /Write "web1"/,
    ],
    [
      "A password in plain text",
      "E_INVENTORY",
      inventory('{ hosts: { web1: { password: "hunter2" } } }'),
      [],
      /secret\.env/,
    ],
    [
      "An inventory that is a playbook",
      "E_INVENTORY",
      playbookOf('file({ path: "/tmp/motd", content: "hello\\n" }),'),
      [],
      /is not an inventory[^]*a playbook/,
    ],
    ["A module that is not an inventory", "E_INVENTORY", 'export default ["web1", "web2"];\n', [], /a list of 2/],
    [
      "A missing var and a misspelled var",
      "E_VARS",
      two,
      [],
      /"version" is missing[^]*web1, web2[^]*Rename "verison" \(group web\)[^]*"nodes" is missing/,
    ],
    ["A var with a wrong value", "E_VARS", fine, ["--var", "version=1.4.0"], /wrong value[^]*a version like v1.4.0/],
    ["A var that the playbook does not have", "E_VARS", fine, ["--var", "node=4"], /no var "node"[^]*--var nodes=/],
    ["An unknown host", "E_PATTERN", fine, ["--limit", "wep1"], /Write "web1"/],
    ["A pattern that matches nothing", "E_PATTERN", fine, ["--limit", "web:&db"], /matches no host/],
    [
      "Hosts that failed in the last run, without a last run",
      "E_PATTERN",
      fine,
      ["--limit", "@failed"],
      /no run is recorded/,
    ],
  ])("%s", async (title, code, text, args, says) => {
    const isFine = text === fine;
    if (isFine) screens.put("inventory.ts", text);
    const seen = await screens.play({
      title,
      ...(isFine ? {} : { files: { "inventory.ts": text, ...(code === "E_VARS" && { "site.ts": site }) } }),
      args: ["check", screens.put("site.ts", site).replace(`${screens.folder}/`, ""), "-i", "inventory.ts", ...args],
    });
    expect(seen.stderr).toMatch(new RegExp(`^${code} `));
    expect(seen.text).toMatch(says);
    expect(seen.text).toMatch(/hint +[A-Z]/);
    expect(seen.text).not.toContain("hunter2");
    expect(seen.code).toBe(code === "E_PATTERN" ? 64 : 1);
  });

  it("A play for an unknown group", async () => {
    screens.put("inventory.ts", fine);
    const files = { "group.ts": playbookOf('file({ path: "/tmp/a", state: "absent" }),').replace('"all"', '"wbe"') };
    const args = ["check", "group.ts", "-i", "inventory.ts"];
    const seen = await screens.play({ title: "A play for an unknown group", files, args });
    expect(seen.text).toMatch(/^E_PATTERN[^]*play +wbe\n +at +group\.ts:\d+:\d+\n[^]*Write "web"/);
    expect(seen.code).toBe(1);
  });

  it("An inventory file that does not exist", async () => {
    const title = "An inventory file that does not exist";
    const seen = await screens.play({ title, args: ["check", "site.ts", "-i", "inventry.ts"] });
    expect(seen.text).toMatch(/^E_INVENTORY[^]*Write inventory\.ts/);
    const alone = await screens.play({ title: "A host without a comma", args: ["check", "site.ts", "-i", "web1"] });
    expect(alone.text).toMatch(/"-i web1,"/);
  });

  it.each<[title: string, files: Record<string, string>, says: RegExp]>([
    [
      "A template in an Ansible inventory",
      { "hosts.yml": 'all:\n  hosts:\n    web1:\n      ansible_host: "{{ addresses.web1 }}"\n' },
      /^E_INVENTORY +ansible_host of the host web1[^]*hosts\.yml/,
    ],
    [
      "A host that an Ansible inventory does not declare",
      { "hosts.ini": "[site:children]\nweb\n\n[wbe]\nweb1\n" },
      /^E_INVENTORY[^]*line 2: \[site:children\] names the group "web"/,
    ],
    [
      "Encrypted vars without a password",
      { "site/hosts": "web1\n", "site/group_vars/all.yml": "$ANSIBLE_VAULT;1.1;AES256\n3633\n" },
      /^E_SECRET[^]*--vault-password-file/,
    ],
  ])("%s", async (title, files, says) => {
    const [path = ""] = Object.keys(files);
    const seen = await screens.play({ title, files, args: ["inventory", "-i", path] });
    expect(seen.stderr).toMatch(says);
    expect(seen.code).toBe(1);
  });

  it("A secret that is not set", async () => {
    const text = playbookOf('file({ path: "/tmp/token", content: token, mode: "0600" }),').replace(
      "\nexport",
      '\nconst token = secret.env("API_TOKEN");\n\nexport',
    );
    const files = { "token.ts": text.replace("{ playbook }", "{ playbook, secret }") };
    const seen = await screens.play({
      title: "A secret that is not set",
      files,
      args: ["check", "token.ts", "-i", "local"],
    });
    expect(seen.text).toMatch(/^E_SECRET[^]*API_TOKEN is not set/);
    expect(seen.code).toBe(1);
  });

  it("A password prompt without a terminal", async () => {
    const title = "A password prompt without a terminal";
    const seen = await screens.play({ title, args: ["ping", "-i", "local", "-K"] });
    expect(seen.text).toMatch(/^E_SECRET[^]*no terminal[^]*--become-password-file/);
    expect(seen.code).toBe(1);
  });

  it("the page matches these transcripts", async () => {
    await expectOnPage(screens, "3-inventory.md");
  });
});
