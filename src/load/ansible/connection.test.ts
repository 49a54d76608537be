import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { addressOf } from "../inventory/address.ts";
import { loadInventory, type LoadedInventory } from "../inventory/inventory-file.ts";
import { mergeHosts, type MergedHost, valuesOf } from "../vars/precedence.ts";

interface Read {
  readonly loaded: LoadedInventory;
  readonly hosts: ReadonlyMap<string, MergedHost>;
}

/** Loads these files, `hosts` and any `*.ts`; the others are vars files. */
async function read(files: Readonly<Record<string, string>>): Promise<Read> {
  const folder = mkdtempSync(join(tmpdir(), "furrow-connection-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text, { mode: 0o600 });
  }
  const inventories = Object.keys(files).filter((path) => path === "hosts" || path.endsWith(".ts"));
  const loaded = await loadInventory(
    inventories.map((path) => join(folder, path)),
    { signal: new AbortController().signal },
  );
  const merged = mergeHosts(loaded.definition, undefined, loaded.origins);
  return { loaded, hosts: new Map(merged.map((host) => [host.name, host])) };
}

/** The settings of a host in an INI inventory with the name `hosts`. */
async function settings(ini: string, host: string): Promise<Readonly<Record<string, unknown>>> {
  const { hosts } = await read({ hosts: ini });
  return valuesOf(hosts.get(host)?.connection ?? {});
}

describe("a host that replaces a setting of its group", () => {
  it.each(["ssh", "smart", "paramiko", "ansible.builtin.ssh"])(
    "runs on the host, not on the controller, with ansible_connection=%s below a group with local",
    async (connection) => {
      const ini = `node1 ansible_host=10.0.0.5 ansible_connection=${connection}\nnode2\n[all:vars]\nansible_connection=local\n`;
      expect(await settings(ini, "node1")).toEqual({ address: "10.0.0.5" });
      expect(await settings(ini, "node2")).toEqual({ transport: "local" });
    },
  );

  it("runs on the host if a child group sets ansible_connection=ssh", async () => {
    const ini =
      "[web]\nn\n[top:children]\nweb\n[top:vars]\nansible_connection=local\n[web:vars]\nansible_connection=ssh\n";
    expect(await settings(ini, "n")).toEqual({});
  });

  it("is reached directly and checks host keys if it replaces or empties the group's ssh arguments", async () => {
    const { hosts } = await read({
      hosts: `db1 ansible_ssh_common_args='-o ServerAliveInterval=30'
bastion ansible_host=192.0.2.1 ansible_ssh_common_args=''
db2
[all:vars]
ansible_ssh_common_args='-o StrictHostKeyChecking=no -o ProxyJump=bastion'
`,
    });
    expect(valuesOf(hosts.get("db1")?.connection ?? {})).toEqual({ keepaliveSeconds: 30 });
    expect(valuesOf(hosts.get("bastion")?.connection ?? {})).toEqual({ address: "192.0.2.1" });
    const db2 = hosts.get("db2");
    expect(db2 && addressOf(db2, { hosts, sshConfig: () => ({}) }).jump.map(({ address }) => address)).toEqual([
      "192.0.2.1",
    ]);
  });

  it("has no user, password or become user if it empties them", async () => {
    const ini = `h ansible_user= ansible_password= ansible_become_user= ansible_become_method=su
[all:vars]
ansible_user=ops
ansible_password=hunter22
ansible_become_user=admin
`;
    expect(await settings(ini, "h")).toEqual({ "become.method": "su" });
  });

  it("still takes what a later inventory sets for the host", async () => {
    const { hosts } = await read({
      hosts: "h ansible_user=\n[all:vars]\nansible_user=ops\n",
      "own.ts": `export default { inventory: true, hosts: { h: { user: "own" }, other: {} } };`,
    });
    expect([hosts.get("h"), hosts.get("other")].map((host) => host?.connection["user"]?.value)).toEqual(["own", "ops"]);
  });
});
