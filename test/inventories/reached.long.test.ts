import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { covered } from "../covered.ts";
import { makeUser, ownName, removeAccounts, setSudoers } from "../transport/become/accounts.ts";
import { isRoot, makeKey, publicKey, removeFolders, startSshd, type Sshd, temporaryFolder } from "../transport/sshd.ts";

/**
 * Tests, with a real sshd, that furrow and Ansible log in to the same machine as the same user when given the
 * connection settings of an Ansible inventory.
 */
const furrow = join(import.meta.dirname, "../../bin/furrow.js");
const user = ownName("ansible");
const folder = temporaryFolder();
const key = makeKey(folder, "login_key");
const stranger = makeKey(folder, "stranger");
const vaultPassword = join(folder, "vault-password");
const made = join(folder, "made");
const env = {
  PATH: process.env["PATH"],
  HOME: folder,
  LANG: "C.UTF-8",
  NO_COLOR: "1",
  ANSIBLE_VAULT_PASSWORD_FILE: vaultPassword,
  ANSIBLE_PYTHON_INTERPRETER: "/usr/bin/python3",
  // Every login uses a separate connection. A shared connection would let a key log in that the host must reject, and
  // it would outlive the test.
  ANSIBLE_SSH_ARGS: "-o ControlMaster=no",
  ANSIBLE_PIPELINING: "true",
};
let sshd: Sshd;

/** Writes an inventory to its own folder; its files may refer to the sshd's port and its known_hosts file. */
function lay(name: string, files: Readonly<Record<string, string>>): string {
  const own = join(folder, name);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(own, path)), { recursive: true });
    writeFileSync(join(own, path), text, { mode: 0o600 });
  }
  return own;
}

interface Ended {
  readonly code: number | null;
  readonly text: string;
}

function run(program: string, ...args: readonly string[]): Ended {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: folder, env, encoding: "utf8" });
  return { code: status, text: `${stdout}${stderr}` };
}

const byFurrow = (...args: readonly string[]): Ended => run(process.execPath, furrow, ...args);
const byAnsible = (...args: readonly string[]): Ended => run("ansible", ...args);

const whoAmI = 'echo "$(id -un) by $SUDO_USER"';

describe.skipIf(!isRoot)("a host in an Ansible inventory", () => {
  let known: string;
  beforeAll(async () => {
    makeUser(user, "user's own");
    setSudoers(user, `${user} ALL=(ALL:ALL) ALL`);
    sshd = await startSshd({ authorizedKeys: [key], config: ["PasswordAuthentication no"] });
    known = join(folder, "known_hosts");
    writeFileSync(known, `[127.0.0.1]:${sshd.port} ${publicKey(sshd.hostKeys.ed25519)}\n`);
    writeFileSync(vaultPassword, "open sesame\n", { mode: 0o600 });
  });
  afterAll(async () => {
    await sshd.stop();
    removeAccounts();
    removeFolders();
  });

  const ini = (identity = key): string => `
[web]
app ansible_host=127.0.0.1 ansible_port=${sshd.port}

[web:vars]
ansible_user=${user}
ansible_ssh_private_key_file=${identity}
ansible_ssh_common_args='-o UserKnownHostsFile=${known} -o StrictHostKeyChecking=yes'
ansible_become=true
ansible_become_method=sudo
`;
  const yaml = (): string => `
web:
  hosts:
    app:
      ansible_host: 127.0.0.1
      ansible_port: ${sshd.port}
  vars:
    ansible_user: ${user}
    ansible_private_key_file: ${key}
    ansible_ssh_common_args: -o UserKnownHostsFile=${known} -o StrictHostKeyChecking=yes
    ansible_become: true
    ansible_become_user: nobody
`;
  const password = "ansible_become_password: user's own\n";

  test("is reached by furrow and by Ansible as the same user, who becomes root, with INI and a vault", () => {
    const inventory = lay("ini", { hosts: ini(), "group_vars/web/vault.yml": password });
    execFileSync("ansible-vault", ["encrypt", join(inventory, "group_vars/web/vault.yml")], { cwd: folder, env });
    expect(readFileSync(join(inventory, "group_vars/web/vault.yml"), "utf8")).toMatch(/^\$ANSIBLE_VAULT;/);

    const said = byFurrow("exec", "web", "-i", inventory, "-b", "--", "sh", "-c", whoAmI);
    expect(said.code, said.text).toBe(0);
    expect(said.text).toMatch(new RegExp(`root by ${user}$`, "m"));

    const ping = byAnsible("web", "-i", inventory, "-m", "ping");
    expect(ping.code, ping.text).toBe(0);
    expect(ping.text).toContain('"ping": "pong"');
    const theirs = byAnsible("web", "-i", inventory, "-m", "shell", "-a", whoAmI);
    expect(theirs.text).toMatch(new RegExp(`root by ${user}$`, "m"));

    writeFileSync(
      join(folder, "site.ts"),
      `import { playbook } from "furrow";
import { file } from "furrow/tasks";

export default playbook({
  name: "A host from Ansible",
  plays: [{ hosts: "web", become: true, tasks: () => [file({ path: "${made}", content: "hello\\n" })] }],
});
`,
    );
    const first = byFurrow("run", "site.ts", "-i", inventory);
    expect(first.code, first.text).toBe(0);
    expect(first.text).toContain("1 changed, 0 ok on 1 host");
    expect([readFileSync(made, "utf8"), statSync(made).uid]).toEqual(["hello\n", 0]);
    expect(byFurrow("run", "site.ts", "-i", inventory).text).toContain("0 changed, 1 ok on 1 host");
    covered("An Ansible inventory (INI, vault, sudo with a password): furrow and ansible -m ping reach the same sshd");
  });

  test("can name a different become user, with YAML", () => {
    const inventory = lay("yaml", { "hosts.yml": yaml(), "group_vars/web.yml": password });
    const ours = byFurrow("exec", "app", "-i", inventory, "-b", "--", "sh", "-c", whoAmI);
    expect(ours.code, ours.text).toBe(0);
    expect(ours.text).toMatch(new RegExp(`nobody by ${user}$`, "m"));
    const plain = byFurrow("exec", "app", "-i", inventory, "--", "id", "-un");
    expect(plain.text).toContain(user);
  });

  test("is refused with the right error if the key is unknown or the password is wrong", () => {
    const locked = lay("locked", { hosts: ini(stranger), "group_vars/web.yml": password });
    const refused = byFurrow("ping", "web", "-i", locked);
    expect(refused.text).toMatch(new RegExp(`E_AUTH[^]*${user}`));
    expect(refused.code).toBe(3);
    expect(byAnsible("web", "-i", locked, "-m", "ping").text).toContain("UNREACHABLE");

    const wrong = lay("wrong", { hosts: ini(), "group_vars/web.yml": "ansible_become_password: not it\n" });
    const said = byFurrow("exec", "web", "-i", wrong, "-b", "--", "id");
    expect(said.text).toContain("E_BECOME");
    expect(said.code).not.toBe(0);
    expect(said.text).not.toContain("not it");
  });
});
