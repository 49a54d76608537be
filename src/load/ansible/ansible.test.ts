import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import * as texts from "../../../test/inventories/vault-texts.ts";
import type { FurrowError } from "../../core/errors.ts";
import { reveal, Secret } from "../../core/secrets/secret.ts";
import { loadInventory, type LoadedInventory } from "../inventory/inventory-file.ts";
import { mergeHosts, type MergedHost, valuesOf } from "../vars/precedence.ts";

const root = mkdtempSync(join(tmpdir(), "furrow-ansible-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const { signal } = new AbortController();
let count = 0;

interface Read {
  readonly loaded: LoadedInventory;
  readonly hosts: Readonly<Record<string, MergedHost>>;
  readonly notices: readonly string[];
  readonly folder: string;
}

async function read(
  files: Readonly<Record<string, string>>,
  more: { vault?: string[]; also?: string[] } = {},
): Promise<Read> {
  const folder = join(root, String((count += 1)));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
    chmodSync(join(folder, path), path.endsWith(".sh") ? 0o700 : 0o600);
  }
  const notices: string[] = [];
  const inventories = [Object.keys(files)[0] ?? "", ...(more.also ?? [])].map((path) => join(folder, path));
  const vaultPasswordFiles = (more.vault ?? []).map((path) => join(folder, path));
  const options = { signal, vaultPasswordFiles, notice: (text: string) => notices.push(text) };
  const loaded = await loadInventory(inventories, options);
  const merged = mergeHosts(loaded.definition, undefined, loaded.origins);
  return { loaded, notices, folder, hosts: Object.fromEntries(merged.map((host) => [host.name, host])) };
}

async function failure(files: Readonly<Record<string, string>>, vault: string[] = []): Promise<FurrowError> {
  return read(files, { vault }).then(
    () => {
      throw new Error("it was read");
    },
    (error: unknown) => error as FurrowError,
  );
}

describe("connection settings", () => {
  it("come from variables at any level, each with the name of its file", async () => {
    const { hosts, folder } = await read({
      hosts:
        "[web]\nweb1 ansible_host=192.0.2.1 ansible_ssh_port=2222\n[web:vars]\nansible_user=www\nansible_become_method=su\n",
      "group_vars/all.yml": "ansible_user: all\nansible_become_user: admin\n",
      "host_vars/web1.yml":
        "ansible_ssh_private_key_file: ~/.ssh/web\nansible_host_key_checking: no\nansible_timeout: 5\n",
    });
    expect(hosts["web1"]?.connection).toEqual({
      address: { value: "192.0.2.1", origin: `host web1 (${folder}/hosts)` },
      port: { value: 2222, origin: `host web1 (${folder}/hosts)` },
      // In Ansible, group_vars of `all` override the vars that the inventory sets for a group.
      user: { value: "all", origin: `${folder}/group_vars/all.yml` },
      "become.method": { value: "su", origin: `group web (${folder}/hosts)` },
      "become.user": { value: "admin", origin: `${folder}/group_vars/all.yml` },
      identityFile: { value: "~/.ssh/web", origin: `${folder}/host_vars/web1.yml` },
      hostKeyPolicy: { value: "off", origin: `${folder}/host_vars/web1.yml` },
      connectTimeoutSeconds: { value: 5, origin: `${folder}/host_vars/web1.yml` },
    });
  });

  it.each<[string, object, string[]]>([
    ["-J admin@gate:2222,second", { proxyJump: "admin@gate:2222,second" }, []],
    ["-o ProxyJump=gate -o StrictHostKeyChecking=no -C", { proxyJump: "gate", hostKeyPolicy: "off" }, ["-C"]],
    ['-o ProxyCommand="ssh -W %h:%p -q -p 2022 admin@gate"', { proxyJump: "admin@gate:2022" }, []],
    ['-o "ProxyCommand ssh -l admin gate -W [%h]:%p"', { proxyJump: "admin@gate" }, []],
    ["-o ControlMaster=auto -o ControlPersist=60s", {}, []],
    [
      "-i ~/.ssh/k -p 2200 -l me -o UserKnownHostsFile=/dev/null",
      { identityFile: "~/.ssh/k", port: 2200, user: "me", knownHostsFile: ["/dev/null"] },
      [],
    ],
  ])("reads the ssh arguments %s", async (text, settings, strange) => {
    const { hosts, notices } = await read({
      "hosts.yml": JSON.stringify({ all: { hosts: { h: { ansible_ssh_common_args: text } } } }),
    });
    expect(valuesOf(hosts["h"]?.connection ?? {})).toEqual(settings);
    expect(notices.map((notice) => /: (.*) is an ssh argument/.exec(notice)?.[1])).toEqual(strange);
  });

  it("refuses a template in a connection variable of any host, and keeps other templates as text", async () => {
    const error = await failure({
      hosts:
        '[web]\nh1 ansible_host="{{ ip }}" url="{{ x }}"\nh2\n[web:vars]\nansible_become_password={{ vault_pass }}\n',
    });
    expect(error.code).toBe("E_INVENTORY");
    expect(error.failure.what).toBe("ansible_host of the host h1 is a Jinja template, which furrow does not evaluate");
    expect(error.failure.current).toBe('"{{ ip }}"');
    expect(error.failure.details).toEqual([
      expect.stringMatching(/^ansible_become_password of the host h1 .*hosts\)$/) as string,
      expect.stringMatching(/^ansible_become_password of the host h2 /) as string,
    ]);
    const { hosts } = await read({ hosts: 'h url="{{ x }}" ansible_python_interpreter="{{ y }}"\n' });
    expect(hosts["h"]?.vars["url"]?.value).toBe("{{ x }}");
  });

  it("refuses an invalid port", async () => {
    expect((await failure({ hosts: "h ansible_port=high\n" })).failure.what).toContain(
      "ansible_port of the host h is not a whole number",
    );
  });

  it("leaves out hosts that ssh cannot reach, and reports them", async () => {
    const { loaded } = await read({
      hosts:
        "[win]\nw ansible_connection=winrm\n[box]\nb ansible_connection=community.docker.docker\nh ansible_become_method=runas\nl ansible_connection=ansible.builtin.ssh\n",
    });
    expect(loaded.leftOut).toEqual([
      { host: "w", reason: "ansible_connection winrm" },
      { host: "b", reason: "ansible_connection community.docker.docker" },
      { host: "h", reason: "ansible_become_method runas" },
    ]);
    expect(loaded.definition.groups).toMatchObject({ win: { hosts: [] }, box: { hosts: ["l"] } });
  });

  it("makes plain-text passwords secrets, even in vars", async () => {
    const { hosts } = await read({ hosts: "h ansible_password=hunter22 ansible_become_pass=12345\n" });
    const connection = valuesOf(hosts["h"]?.connection ?? {});
    expect(reveal(connection["password"] as Secret)).toBe("hunter22");
    expect(reveal(connection["become.password"] as Secret)).toBe("12345");
    expect(hosts["h"]?.vars["ansible_password"]?.value).toBeInstanceOf(Secret);
    expect(JSON.stringify(hosts["h"]?.vars)).not.toMatch(/hunter22|12345/);
  });
});

describe("vaults", () => {
  it("decrypt files in both formats with several passwords, and make all values secret", async () => {
    const { hosts } = await read(
      {
        hosts: "[a]\nh1\n[b]\nh2\n",
        pass: texts.password,
        prod: texts.prodPassword,
        "group_vars/a.yml": texts.varsFile,
        "group_vars/b.yml": texts.prodVarsFile,
      },
      { vault: ["pass", "prod"] },
    );
    for (const name of ["h1", "h2"]) {
      const vars = valuesOf(hosts[name]?.vars ?? {}) as Record<string, Secret> & {
        nested: { keys: Secret[] };
        flag: boolean;
      };
      expect(
        [vars["db_password"], vars["db_port"], vars.nested.keys[1]].map((secret) => reveal(secret as Secret)),
      ).toEqual(["hunter22", "5432", "beta-key"]);
      expect(vars.flag).toBe(true);
      expect(JSON.stringify(vars)).not.toMatch(/hunter22|5432|beta/);
    }
  });

  it("decrypt single values, including a setting that is not a password", async () => {
    const yml = `all:\n  hosts:\n    h:\n      token: ${texts.inYaml(texts.value, 8)}\n      ansible_user: ${texts.inYaml(texts.prodValue, 8)}\n`;
    const files = { "hosts.yml": yml, pass: texts.password, prod: texts.prodPassword };
    const { hosts } = await read(files, { vault: ["pass", "prod"] });
    expect(reveal(hosts["h"]?.vars["token"]?.value as Secret)).toBe("top secret value");
    expect(hosts["h"]?.connection["user"]?.value).toBe("vaulted-user");
    expect((await failure(files)).failure.what).toContain("ansible_user of the host h is encrypted");
    expect((await failure(files, ["pass"])).failure).toMatchObject({ current: "the vault password is wrong" });
  });

  it("ask for a password only when a value is used", async () => {
    const { hosts } = await read({ hosts: "h\n", "host_vars/h.yml": `token: ${texts.inYaml(texts.value, 2)}\n` });
    expect(() => reveal(hosts["h"]?.vars["token"]?.value as Secret)).toThrow(/no vault password was given/);
  });

  it("name the file if the password is missing or wrong, or the file is broken", async () => {
    const files = { hosts: "h\n", pass: "wrong\n", "group_vars/all.yml": texts.varsFile };
    expect((await failure(files)).failure).toMatchObject({
      what: expect.stringMatching(/all\.yml is encrypted, and no vault/) as string,
    });
    expect((await failure(files, ["pass", "pass"])).failure).toMatchObject({
      current: "none of the 2 vault passwords is correct",
    });
    const broken = { ...files, "group_vars/all.yml": "$ANSIBLE_VAULT;1.1;AES256\n0102\n" };
    expect((await failure(broken, ["pass"])).failure.current).toBe("a broken body");
    expect((await failure({ ...broken, "group_vars/all.yml": "$ANSIBLE_VAULT;1.0;AES\n01\n" }, ["pass"])).code).toBe(
      "E_SECRET",
    );
  });

  it("take the password from a program", async () => {
    const pass = "#!/bin/sh\necho 'correct horse'\n";
    const { hosts } = await read(
      { hosts: "h\n", "pass.sh": pass, "group_vars/all.yml": texts.varsFile },
      { vault: ["pass.sh"] },
    );
    expect(reveal(hosts["h"]?.vars["db_password"]?.value as Secret)).toBe("hunter22");
    const failing = {
      hosts: "h\n",
      "pass.sh": "#!/bin/sh\necho no keyring >&2; exit 3\n",
      "group_vars/all.yml": texts.varsFile,
    };
    expect((await failure(failing, ["pass.sh"])).failure.current).toBe("exit code 3: no keyring");
  });
});

describe("an unreadable inventory", () => {
  it.each<[string, string, string, RegExp]>([
    ["hosts", "[web]\nh1 a\n", "line 2", /word 1 after the host h1 is not NAME=VALUE/],
    ["hosts", "[web:vars]\na=1\n", "line 1", /not declared/],
    ["hosts", "[web:children]\nnone\n", "line 2", /names the group "none"/],
    ["hosts", "[web:hosts:x]\n", "line 1", /is not a section/],
    ["hosts", "[web:stuff]\n", "line 1", /not one of \[web\]/],
    ["hosts", "[a:children]\nb\n[b:children]\na\n", "", /contain each other/],
    ["hosts", "h a='x\n", "line 1", /quote is not closed/],
    ["hosts", "web[3:1:0]\n", "line 1", /step/],
    ["hosts", "web[01:100]\n", "line 1", /different length/],
    ["hosts", "web[1:9999999]\n", "line 1", /would name 9999999 hosts/],
    ["hosts.yml", "all:\n  hosts: [h]\n", "", /"hosts" of the group all is not a mapping/],
    ["hosts.yml", "all:\n  hosts:\n   h: {a: [}\n", "", /./],
    ["hosts.yml", "all:\n  hosts:\n    h: 5\n", "", /vars of the host h/],
    ["hosts.sh", "#!/bin/sh\necho broken >&2; exit 4\n", "", /--list fails with exit code 4: broken/],
    ["hosts.sh", "#!/bin/sh\necho hello\n", "", /does not print JSON/],
    ["hosts.sh", '#!/bin/sh\necho \'{"web": {"hosts": "h"}}\'\n', "", /hosts of the group web are not a list/],
  ])("is reported with its location and the reason: %s %j", async (file, text, where, why) => {
    const { code, failure: said } = await failure({ [file]: text });
    expect(code).toBe("E_INVENTORY");
    expect(said.what).toContain(file);
    expect(said.current).toMatch(why);
    expect(said.current).toContain(where);
  });

  it("refuses a furrow inventory in a folder", async () => {
    const folder = (await read({ hosts: "h\n", "inventory/lab.ts": "export default {};\n" })).folder;
    const error = await loadInventory(join(folder, "inventory"), { signal }).catch((thrown: unknown) => thrown);
    expect((error as FurrowError).failure.hint).toBe(`Pass the file itself: -i ${folder}/inventory/lab.ts`);
  });

  it("names the furrow source that replaces an Ansible plugin", async () => {
    const { failure: said } = await failure({ "aws_ec2.yml": "plugin: amazon.aws.aws_ec2\nregions: [eu-west-1]\n" });
    expect(said.what).toContain("amazon.aws.aws_ec2");
    expect(said.hint).toContain("ec2Inventory");
  });
});

it("merges an Ansible inventory with a furrow inventory whose functions group hosts by vars", async () => {
  const own = `export default [{ inventory: true, hosts: { extra: {} }, groups: { web: { vars: { x: "own" } } } }, (vars) => vars.zone && "zone_" + vars.zone];`;
  const { hosts } = await read(
    { hosts: "[web]\nh zone=eu\n[web:vars]\nx=theirs\n", "own.ts": own },
    { also: ["own.ts"] },
  );
  expect(hosts["h"]?.groups).toEqual(["web", "zone_eu"]);
  expect(hosts["h"]?.vars["x"]?.value).toBe("own");
  expect(hosts["extra"]?.groups).toEqual([]);
});

it("reports which .ini file in a folder is not read", async () => {
  const { notices, folder } = await read({ "one/hosts": "web1\n", "one/old.ini": "web2\n" }, { also: ["one"] });
  expect(notices).toEqual([expect.stringContaining(`${join(folder, "one/old.ini")} is not read`)]);
});

it.each([
  ["host", "__proto__\nweb1\n"],
  ["group", "[__proto__]\nweb1\n"],
])("refuses a %s named __proto__, which would otherwise be silently missing", async (noun, text) => {
  expect(await failure({ hosts: text })).toMatchObject({
    code: "E_INVENTORY",
    failure: { what: `a ${noun} cannot be named __proto__` },
  });
});
