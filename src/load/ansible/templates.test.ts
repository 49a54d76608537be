import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { loadInventory } from "../inventory/inventory-file.ts";
import { mergeHosts } from "../vars/precedence.ts";

test("names, once per file, the variables whose Jinja templates are passed to playbooks as text", async () => {
  const folder = mkdtempSync(join(tmpdir(), "furrow-templates-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const files = {
    hosts: "web1\nweb2 plain=1\n",
    "group_vars/all.yml": 'base: /srv\nroot: "{{ base }}/www"\nsites: [{ path: "{% if x %}" }]\n',
    "host_vars/web1.yml": 'root: "{{ base }}/one"\n',
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const notices: string[] = [];
  const options = { signal: new AbortController().signal, notice: (text: string) => notices.push(text) };
  const loaded = await loadInventory([join(folder, "hosts")], options);
  const said = "furrow does not evaluate Jinja; playbooks get";
  expect(notices).toEqual([
    `${join(folder, "group_vars/all.yml")}: ${said} root, sites with the template as written`,
    `${join(folder, "host_vars/web1.yml")}: ${said} root with the template as written`,
  ]);
  const [web1] = mergeHosts(loaded.definition, undefined, loaded.origins);
  expect(web1?.vars["root"]?.value).toBe("{{ base }}/one");
});
