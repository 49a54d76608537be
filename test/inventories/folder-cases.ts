import type { Case } from "./case.ts";
import { hostsFile, inYaml, password, prodPassword, prodValue, prodVarsFile, value, varsFile } from "./vault-texts.ts";

/** Inventories that consist of several files: vars files next to them, folders, several `-i`, vaults. */
export const folderCases: readonly Case[] = [
  {
    name: "vars next to a file",
    files: {
      hosts: "[web]\nh1 a=inventory\nh2\n[db]\nh3\n[web:vars]\nb=inventory\nc=inventory\n[all:vars]\nd=inventory\n",
      "group_vars/all.yml": "d: all\nc: all\n",
      "group_vars/web.yaml": "b: web\n",
      "group_vars/db.json": '{"b": "db"}',
      "group_vars/ungrouped": "u: 1\n",
      "host_vars/h1.yml": "a: file\n",
      "host_vars/h2": "---\na: plain\n",
    },
  },
  {
    name: "vars in folders, with other files among them",
    files: {
      hosts: "[web]\nh1\n",
      "group_vars/web/10-first.yml": "a: 1\nb: 1\n",
      "group_vars/web/20-second.yml": "b: 2\n",
      "group_vars/web/plain": "c: 3\n",
      "group_vars/web/sub/deep.json": '{"d": 4}',
      "group_vars/web/sub.d/no.yml": "e: 5\n",
      "group_vars/web/.hidden.yml": "f: 6\n",
      "group_vars/web/old.yml~": "g: 7\n",
      "group_vars/web/readme.md": "no vars: [\n",
      "group_vars/web.yml": "hidden_by_the_folder: true\n",
      "group_vars/web/30-empty.yml": "# nothing\n",
      "host_vars/h1/main.yml": "h: 8\n",
      "host_vars/h1/vault.yaml": "i: 9\n",
    },
  },
  {
    name: "several vars files with the same name",
    files: {
      hosts: "[a]\nh\n[b]\nh\n",
      "group_vars/a.yaml": "x: yaml\n",
      "group_vars/a.yml": "y: yml\n",
      "group_vars/a.json": '{"z": 1}',
      "group_vars/b": "v: plain\n",
      "group_vars/b.yml": "w: yml\n",
    },
  },
  {
    name: "group_vars for all against group vars in the inventory",
    files: {
      hosts: "[a]\nh\n[b]\nh\n[a:vars]\nx=a\ny=a\nz=a\n",
      "group_vars/all": "x: all\n",
      "group_vars/b.yml": "y: b\n",
      "host_vars/h.yml": "z: h\n",
    },
  },
  {
    name: "a folder of sources",
    inventories: ["inventory"],
    files: {
      "inventory/10-base": "[web]\nh1 a=1\n[all:vars]\nx=1\n",
      "inventory/20-more.yml": "web:\n  hosts:\n    h2:\n    h1: {a: 2}\ndb:\n  hosts: {h3: }\n",
      "inventory/30-children": "[site:children]\nweb\ndb\n[web]\n[db]\n",
      "inventory/README.md": "[not an inventory\n",
      "inventory/notes.txt": "not: an: inventory\n",
      "inventory/old.ini": "[old]\nh9\n",
      "inventory/hosts.orig": "[orig]\nh9\n",
      "inventory/ansible.cfg": "[defaults]\n",
      "inventory/.hidden": "[hidden]\nh9\n",
      "inventory/hosts~": "[backup]\nh9\n",
      "inventory/site.retry": "h9\n",
      "inventory/group_vars/all.yml": "x: 2\ny: 2\n",
      "inventory/group_vars/site.yml": "y: 3\n",
      "inventory/host_vars/h3.yml": "z: 4\n",
    },
  },
  {
    name: "folders in a folder, whose own group_vars are ignored",
    inventories: ["inventory"],
    files: {
      "inventory/b/hosts": "[web]\nh1\n",
      "inventory/a/hosts": "[web]\nh2\n",
      "inventory/a/group_vars/web.yml": "not: seen\n",
      "inventory/group_vars/web.yml": "seen: true\n",
    },
  },
  {
    name: "sources are sorted by byte value",
    inventories: ["inventory"],
    files: {
      "inventory/Z": "h x=Z\n",
      "inventory/a": "h x=a\n",
      "inventory/10": "h x=10\n",
      "inventory/9": "h x=9\n",
      "inventory/_": "h x=_\n",
    },
  },
  {
    name: "two inventories with their own vars",
    inventories: ["one/hosts", "two"],
    files: {
      "one/hosts": "[web]\nh1 a=1 b=1\n[top:children]\nweb\n",
      "one/group_vars/web.yml": "c: one-web\nd: one-web\n",
      "one/host_vars/h1.yml": "e: one\nf: one\n",
      "two/hosts": "[web]\nh1 b=2\nh2\n",
      "two/group_vars/top.yml": "c: two-top\n",
      "two/group_vars/all.yml": "d: two-all\n",
      "two/host_vars/h1.yml": "f: two\n",
    },
  },
  {
    name: "the same two inventories in reverse order",
    inventories: ["two", "one/hosts"],
    files: {
      "one/hosts": "[web]\nh1 a=1 b=1\n[top:children]\nweb\n",
      "one/group_vars/web.yml": "c: one-web\n",
      "two/hosts": "[web]\nh1 b=2\nh2\n",
      "two/group_vars/top.yml": "c: two-top\n",
    },
  },
  {
    name: "a static list of groups after a list of hosts",
    inventories: ["hosts", "groups.yml"],
    files: {
      hosts: "[tag_web]\nh1\n[tag_db]\nh2\n",
      "groups.yml": "web:\n  children:\n    tag_web:\n  vars: {x: 1}\nall:\n  vars: {y: 2}\n",
    },
  },
  {
    name: "encrypted vars files",
    vault: ["pass", "prod-pass"],
    files: {
      hosts: "[web]\nh1\n[db]\nh2\n",
      pass: password,
      "prod-pass": prodPassword,
      "group_vars/web/vault.yml": varsFile,
      "group_vars/web/vars.yml": 'password: "{{ db_password }}"\nplain: yes\n',
      "group_vars/db.yml": prodVarsFile,
    },
  },
  {
    name: "encrypted values",
    vault: ["prod-pass", "pass"],
    files: {
      "hosts.yml": `all:\n  hosts:\n    h1:\n      token: ${inYaml(value, 8)}\n      list:\n        - ${inYaml(value, 12)}\n        - open\n`,
      pass: password,
      "prod-pass": prodPassword,
      "group_vars/all.yml": `user: ${inYaml(prodValue, 2)}\n`,
    },
    inventories: ["hosts.yml"],
  },
  {
    name: "encrypted values without a password",
    files: { hosts: "h1\n", "host_vars/h1.yml": `token: ${inYaml(value, 2)}\n` },
  },
  { name: "an encrypted inventory", vault: ["pass"], files: { hosts: hostsFile, pass: password } },
  {
    name: "host names with dots and vars files named after them",
    files: {
      hosts: "[web]\nweb1.example.com\nweb2.example.com:2222\n",
      "host_vars/web1.example.com.yml": "a: 1\n",
      "host_vars/web2.example.com/x.yml": "a: 2\n",
      "group_vars/web.example.yml": "b: 1\n",
    },
  },
];

const list = (data: unknown): string =>
  `#!/bin/sh\n[ "$1" = --list ] || exit 9\ncat <<'END'\n${JSON.stringify(data)}\nEND\n`;

/** Inventories that are programs. */
export const programCases: readonly Case[] = [
  {
    name: "a program with _meta",
    files: {
      "hosts*": list({
        _meta: { hostvars: { h1: { a: 1, b: [true, null] }, h9: { not: "in a group" } } },
        web: { hosts: ["h1", "h2"], vars: { x: "yes" }, children: ["sub", "never_said"] },
        sub: { hosts: ["h3"] },
        flat: ["h4", "h1"],
        empty: {},
        h5: { role: "by itself" },
        all: { vars: { y: 2 } },
        ungrouped: { hosts: ["h6"] },
      }),
      "group_vars/web.yml": "x: file\n",
    },
  },
  {
    name: "a program that is run for each host",
    files: {
      "hosts*":
        '#!/bin/sh\ncase $1 in\n--list) echo \'{"web": ["h1", "h2"], "all": {"hosts": ["h3"]}}\';;\n--host) echo "{\\"name\\": \\"$2\\"}";;\nesac\n',
    },
  },
  {
    name: "a program in a folder of sources",
    inventories: ["inventory"],
    files: {
      "inventory/10-hosts": "[web]\nh1 a=1\n",
      "inventory/20-cloud.sh*": list({ web: ["h2"], _meta: { hostvars: { h2: { b: 2 }, h1: { a: 2 } } } }),
    },
  },
  { name: "a list of hosts that is executable by mistake", files: { "hosts*": "[web]\nh1\n" } },
];
