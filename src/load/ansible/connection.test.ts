import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { FurrowError } from "../../core/errors.ts";
import { addressOf } from "../inventory/address.ts";
import { loadInventory, type LoadedInventory } from "../inventory/inventory-file.ts";
import { mergeHosts, type MergedHost, valuesOf } from "../vars/precedence.ts";

interface Read {
  readonly notices: readonly string[];
  readonly loaded: LoadedInventory;
  readonly hosts: ReadonlyMap<string, MergedHost>;
}

/** Loads the first of these files and every `*.ts` file as inventories; the other files contain vars. */
async function read(files: Readonly<Record<string, string>>): Promise<Read> {
  const folder = mkdtempSync(join(tmpdir(), "furrow-connection-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text, { mode: 0o600 });
  }
  const inventories = Object.keys(files).filter((path, index) => index === 0 || path.endsWith(".ts"));
  const notices: string[] = [];
  const loaded = await loadInventory(
    inventories.map((path) => join(folder, path)),
    { signal: new AbortController().signal, notice: (text) => notices.push(text) },
  );
  const merged = mergeHosts(loaded.definition, undefined, loaded.origins);
  return { loaded, notices, hosts: new Map(merged.map((host) => [host.name, host])) };
}

/** The settings of a host in an INI inventory with the name `hosts`. */
async function settings(ini: string, host: string): Promise<Readonly<Record<string, unknown>>> {
  const { hosts } = await read({ hosts: ini });
  return valuesOf(hosts.get(host)?.connection ?? {});
}

async function failure(files: Readonly<Record<string, string>>): Promise<FurrowError> {
  return read(files).then(
    () => {
      throw new Error("it was read");
    },
    (error: unknown) => error as FurrowError,
  );
}

/** Everything that a report prints about an error. */
function shown(error: FurrowError): string {
  return JSON.stringify([error.message, error.failure]);
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

it.each([
  ["-Cp 2200 -o Port=22 -o user=one -l two", { port: 2200, user: "one" }],
  ["-o Ciphers=aes256-ctr -i a -o IdentityFile=b", { identityFile: ["a", "b"] }],
  ['-o ProxyCommand="/usr/bin/ssh -q -o User=me -o ConnectTimeout=5 -W%h:%p gate"', { proxyJump: "me@gate" }],
  ["-o ProxyJump=gate -o ProxyCommand='nc %h %p'", { proxyJump: "gate" }],
])("reads the ssh arguments %s as ssh does", async (text, wanted) => {
  const { hosts } = await read({ "hosts.json": JSON.stringify({ all: { hosts: { h: { ansible_ssh_args: text } } } }) });
  expect(valuesOf(hosts.get("h")?.connection ?? {})).toEqual(wanted);
});

describe("an ssh argument that furrow cannot apply", () => {
  it.each([
    ["-o ProxyCommand='ssh -i key.pem -W %h:%p -q ubuntu@bastion'", "-o ProxyCommand"],
    ["-o ProxyCommand='ssh -o UserKnownHostsFile=/dev/null -W %h:%p bastion'", "-o ProxyCommand"],
    ["-o ProxyCommand='ssh -W %h:%p %r@bastion'", "-o ProxyCommand"],
    ["-o ProxyCommand='ssh bastion nc %h %p'", "-o ProxyCommand"],
    ["-oProxyCommand='nc -X 5 -x proxy %h %p'", "-o ProxyCommand"],
    ["-o ProxyCommand=ssh -W %h:%p bastion", "-o ProxyCommand"],
    ["-o StrictHostKeyChecking=no -o 'proxycommand cloudflared access ssh --hostname %h'", "-o proxycommand"],
    ["-o HostName=10.0.0.9", "-o HostName"],
    ["-o RevokedHostKeys=/etc/ssh/revoked", "-o RevokedHostKeys"],
    ["-F bastion.config", "-F"],
    ["bastion", "a word that is not an option"],
  ])("leaves the host out instead of connecting to it directly: %s", async (text, option) => {
    const { loaded } = await read({
      hosts: "app ansible_host=10.0.0.5\n",
      "group_vars/all.json": JSON.stringify({ ansible_ssh_common_args: text }),
      "own.ts": `export default { inventory: true, hosts: { other: {} } };`,
    });
    expect(loaded.leftOut).toEqual([
      { host: "app", reason: `ansible_ssh_common_args has ${option}, which furrow cannot apply` },
    ]);
  });

  it("refuses a quote that is not closed, without showing the value", async () => {
    const vars = { ansible_ssh_extra_args: "-o ProxyCommand='sshpass -p hunter22 ssh -W %h:%p gate" };
    const error = await failure({ hosts: "app\n", "host_vars/app.json": JSON.stringify(vars) });
    expect(error.failure.what).toBe("ansible_ssh_extra_args of the host app has a quote that is not closed");
    expect(shown(error)).not.toContain("hunter22");
  });
});

it("takes the first value of an ssh option, in Ansible's order: ssh_args, variables, common_args, extra_args", async () => {
  const ini = `h ansible_ssh_extra_args='-o ProxyJump=extra -p 3' ansible_ssh_common_args='-o ProxyJump=common -o ProxyJump=second -l common' ansible_ssh_args='-p 1' ansible_port=2 ansible_user=named ansible_ssh_private_key_file=k\n`;
  expect(await settings(ini, "h")).toEqual({ proxyJump: "common", port: 1, user: "named", identityFile: "k" });
  const { hosts } = await read({ hosts: ini });
  expect(hosts.get("h")?.connection["port"]?.origin).toMatch(/^host h /);
});

describe("a password in an inventory", () => {
  it.each([
    ["a host line below [web:children]", "[web:children]\nweb1 ansible_password=hunter22\n"],
    ["a variable below [web:children]", "[web:children]\nansible_password=hunter22\n"],
    ["a variable below [web]", "[web]\nansible_password=hunter22\n"],
    ["a variable with a bracket below [web]", "[web]\nansible_password=hunter22[\n"],
    ["another variable below [web]", "[web]\ndb_password=hunter22\n"],
    ["a section with a second word", "[web ansible_password=hunter22]\n"],
    ["ssh arguments with a template", `h ansible_ssh_args="-o ProxyCommand='sshpass -p hunter22 ssh {{ gate }}'"\n`],
  ])("is not shown when the line is refused: %s", async (_what, ini) => {
    const error = await failure({ hosts: ini });
    expect(error.code).toBe("E_INVENTORY");
    expect(shown(error)).not.toContain("hunter22");
  });

  it("is not shown below [web] if the inventory is YAML", async () => {
    const error = await failure({ "hosts.yml": "web:\n  hosts:\n    ansible_password=hunter22:\n" });
    expect(error.failure.current).toContain("ansible_password=… is in place of a host");
    expect(shown(error)).not.toContain("hunter22");
  });

  it("is not shown in the notice about an ssh option that furrow ignores", async () => {
    const { notices } = await read({
      hosts: `h ansible_ssh_common_args="-o SetEnv=TOKEN=hunter22 -S hunter22"\n`,
    });
    expect(notices).toEqual([
      "ansible_ssh_common_args: -o SetEnv is an ssh argument that furrow does not support; it is ignored",
      "ansible_ssh_common_args: -S is an ssh argument that furrow does not support; it is ignored",
    ]);
  });
});
