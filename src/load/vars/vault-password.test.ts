import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import * as texts from "../../../test/inventories/vault-texts.ts";
import { pendingSecrets } from "../../core/secrets/secret.ts";
import { loadInventory } from "../inventory/inventory-file.ts";
import { settleSecrets } from "./secrets.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-vault-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function put(path: string, text: string): string {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text, { mode: 0o600 });
  return join(folder, path);
}

test("without a vault password, an encrypted value that is used causes an error before the run, and the error names its variable", async () => {
  const encrypted = (blanks: number): string => texts.inYaml(texts.value, blanks);
  put("group_vars/all.yml", `dbPassword: ${encrypted(2)}\n`);
  put("host_vars/h.yml", `users:\n  - name: ana\n    password: ${encrypted(6)}\n`);
  put("host_vars/j.json", JSON.stringify({ apiKey: { __ansible_vault: texts.value } }));
  const options = { signal: new AbortController().signal, vaultPasswordFiles: [], notice: () => undefined };
  await loadInventory([put("hosts", "h\nj\n")], options);
  const made = pendingSecrets();
  expect(made.map(({ name }) => name).toSorted()).toEqual(["apiKey", "dbPassword", "users.0.password"]);
  const except = (used: string): ReadonlySet<string> =>
    new Set(made.flatMap(({ id, name }) => (name === used ? [] : [id])));
  const settling = { mode: "check", warn: () => undefined } as const;
  await expect(settleSecrets({ ...settling, unused: except("dbPassword") })).rejects.toMatchObject({
    code: "E_SECRET",
    failure: {
      what: `dbPassword of ${join(folder, "group_vars/all.yml")} is encrypted, and no vault password was given`,
      hint: "Pass the file that contains it: --vault-password-file FILE",
    },
  });
  await settleSecrets({ ...settling, unused: except("none of them") });
});
