import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { FurrowError } from "../../core/errors.ts";
import { loadInventory } from "../inventory/inventory-file.ts";

/** Loads the first of these files. Returns the folder and the notices. */
async function read(files: Readonly<Record<string, string>>): Promise<{ folder: string; notices: string[] }> {
  const folder = mkdtempSync(join(tmpdir(), "furrow-names-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const notices: string[] = [];
  const options = { signal: new AbortController().signal, notice: (text: string) => notices.push(text) };
  await loadInventory([join(folder, Object.keys(files)[0] ?? "")], options);
  return { folder, notices };
}

describe("a name that must not be accepted silently", () => {
  it.each<[string, string, string, string, RegExp]>([
    [
      "a NUL byte in the name of a host",
      "hosts",
      "[web]\nh1\n  b\0d\n",
      "line 3, column 3",
      /host "b\\u0000d" contains a control character/,
    ],
    [
      "a NUL byte in the name of a group",
      "hosts",
      "[we\0b]\nh1\n",
      "line 1, column 1",
      /group "we\\u0000b" contains a control character/,
    ],
    [
      "a host listed twice with two values",
      "hosts",
      "[web]\nh1 a=1\n[db]\nh1 a=2\n[web]\nh1 a=3\n",
      "line 6, column 1",
      /web lists the host h1 twice, .* a; .* line 2/,
    ],
    [
      "a host twice in YAML",
      "hosts.yml",
      "all:\n  hosts:\n    h: {a: 1}\n    h: {a: 2}\n",
      "line 4, column 5",
      /"h" is given twice \(first in line 3\)/,
    ],
    [
      "a host twice in JSON",
      "hosts.json",
      '{"all": {"hosts": {\n  "h": {"a": 1},\n  "h": {"a": 2}\n}}}\n',
      "line 3, column 3",
      /"h" is given twice \(first in line 2\)/,
    ],
    [
      "a NUL byte in YAML",
      "hosts.yml",
      'all:\n  hosts:\n    "h\\0": {a: 1}\n',
      "line 3, column 5",
      /a key contains a NUL byte/,
    ],
  ])("is an error with file, line and column: %s", async (_what, file, text, where, why) => {
    const error = await read({ [file]: text }).then(
      () => undefined,
      (thrown: unknown) => thrown as FurrowError,
    );
    expect(error?.code).toBe("E_INVENTORY");
    expect(error?.failure.what).toContain(`/${file} `);
    expect(error?.failure.current).toContain(where);
    expect(error?.failure.current).toMatch(why);
  });

  it("is an error in a vars file, with the position of the repeated key", async () => {
    const files = { hosts: "h\n", "group_vars/all.yml": "a: 1\nb:\n  c: 1\n  d: 2\n  c: 3\n" };
    await expect(read(files)).rejects.toMatchObject({
      failure: { current: 'the key "c" is given twice (first in line 3) at line 5, column 3' },
    });
  });

  it("stays allowed if nothing is lost: a host in two groups, or listed again with other vars", async () => {
    const files = { hosts: "[web]\nh1 a=1\nh1 b=2\nh1 a=1\n[db]\nh1 a=2\n" };
    expect((await read(files)).notices).toEqual([]);
  });
});

describe("a misspelled connection variable", () => {
  it("is reported with the variable that was probably meant; the user's own variables are not reported", async () => {
    const { notices, folder } = await read({
      hosts:
        "h1 ansible_conection=local ansible_hots=192.0.2.1\nh2 ansible_hostname=x ansible_distribution=y my_port=1\n",
      "host_vars/h2.yml":
        "ansible_root: /srv\nansible_become: yes\nansible_scp_extra_args: -l 1\nansible_become_pasword: x\n",
    });
    const said = (file: string, name: string, meant: string) =>
      `${join(folder, file)}: ${name} is not a connection variable, only a plain var; did you mean ${meant}?`;
    expect(notices).toEqual([
      said("host_vars/h2.yml", "ansible_become_pasword", "ansible_become_password"),
      said("hosts", "ansible_conection", "ansible_connection"),
      said("hosts", "ansible_hots", "ansible_host"),
    ]);
  });
});
