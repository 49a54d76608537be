import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import ssh2, { type ParsedKey } from "ssh2";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { currentSealKey, pendingSecrets, reveal } from "../../core/secrets/secret.ts";
import { generated, generatedKey, secret } from "../../core/secrets/secret-source.ts";
import { secretText } from "../../core/params/schema.ts";
import { settleQuietSecrets, settleSecrets, type Settling } from "./secrets.ts";
import { stateFolder } from "../state/state-folder.ts";

let folder = "";
const before = process.env["XDG_STATE_HOME"];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "furrow-secrets-"));
  process.env["XDG_STATE_HOME"] = folder;
});
afterEach(() => {
  // A secret without a value stays pending and would make every later test fail.
  for (const { settle } of pendingSecrets()) settle("settled by the test");
  rmSync(folder, { recursive: true });
  if (before === undefined) delete process.env["XDG_STATE_HOME"];
  else process.env["XDG_STATE_HOME"] = before;
});

function settling(more: Partial<Settling> = {}): Settling & { warnings: string[]; asked: string[] } {
  const warnings: string[] = [];
  const asked: string[] = [];
  return {
    mode: "apply",
    warn: (text) => void warnings.push(text),
    ask: (question) => Promise.resolve(`answer ${asked.push(question)}`),
    ...more,
    warnings,
    asked,
  };
}

const pem = (label: string): string => `-----BEGIN ${label}-----\nMIIB\n-----END ${label}-----\n`;

describe("settleSecrets", () => {
  it.each(["p", "1234567"])(
    "refuses the password %s from the environment, if the vars require 8 characters",
    async (short) => {
      const variable = `TEST_SHORT_${short.length}`;
      const vars = z.object({ password: secretText({ atLeast: 8 }) });
      process.env[variable] = short;
      const given = () => vars.safeParse({ password: secret.env(variable) });
      expect(given().error).toBeUndefined();
      await expect(settleSecrets({ mode: "check", warn: () => undefined })).rejects.toMatchObject({
        code: "E_SECRET",
        failure: { what: `the secret "${variable}" is too short`, expected: "at least 8 characters" },
      });
      process.env[variable] = `${short}-and-longer`;
      await settleSecrets({ mode: "check", warn: () => undefined });
      expect(given().error).toBeUndefined();
      delete process.env[variable];
    },
  );

  it("refuses a value from the environment that does not match the var's pattern, without showing it", async () => {
    const variable = "TEST_PATTERN";
    const matches = { pattern: /^[^"]*$/, expected: "a password without double quotes" };
    const given = () => z.object({ password: secretText({ matches }) }).safeParse({ password: secret.env(variable) });
    process.env[variable] = 'quoted"password';
    expect(given().error).toBeUndefined();
    const refused = settleSecrets({ mode: "check", warn: () => undefined });
    await expect(refused).rejects.toMatchObject({
      code: "E_SECRET",
      failure: { what: `the secret "${variable}" has a value that cannot be used here`, expected: matches.expected },
    });
    await expect(refused).rejects.not.toThrow("quoted");
    process.env[variable] = "plain-password";
    await settleSecrets({ mode: "check", warn: () => undefined });
    delete process.env[variable];
  });

  it("reads the environment, files and answers, and shows each prompt once", async () => {
    process.env["FURROW_TEST_TOKEN"] = "from-env";
    const path = join(folder, "key");
    writeFileSync(path, "line 1\nline 2\n", { mode: 0o600 });
    const all = [secret.env("FURROW_TEST_TOKEN"), secret.file(path), secret.prompt("Q1"), secret.prompt("Q1")];
    const how = settling();
    await settleSecrets(how);
    expect(all.map(reveal)).toEqual(["from-env", "line 1\nline 2", "answer 1", "answer 1"]);
    expect(how.asked).toEqual(["Q1"]);
    expect(how.warnings).toEqual([]);
  });

  it("gives the same value to a secret that is created twice, without asking again", async () => {
    secret.prompt("Q2");
    const how = settling();
    await settleSecrets(how);
    expect(reveal(secret.prompt("Q2"))).toBe("answer 1");
    await settleSecrets(how);
    expect(how.asked).toEqual(["Q2"]);
  });

  it("warns about a secret file that others can read", async () => {
    const path = join(folder, "open");
    writeFileSync(path, "x\n", { mode: 0o644 });
    secret.file(path);
    const how = settling();
    await settleSecrets(how);
    expect(how.warnings).toEqual([expect.stringContaining("mode 0644")]);
  });

  it.each<[string, string, string[]]>([
    ["warns that others can read a private key", pem("EC PRIVATE KEY"), ["the private key"]],
    [
      "warns about a private key if a certificate is stored with its key",
      pem("CERTIFICATE") + pem("PRIVATE KEY"),
      ["the private key"],
    ],
    ["does not warn if others can read a certificate", pem("CERTIFICATE") + pem("CERTIFICATE"), []],
    [
      "warns about a secret file if a certificate is stored with any other text",
      `${pem("CERTIFICATE")}password: x\n`,
      ["the secret file"],
    ],
  ])("%s", async (_what, text, names) => {
    const path = join(folder, "tls");
    writeFileSync(path, text);
    chmodSync(path, 0o644);
    secret.file(path);
    const how = settling();
    await settleSecrets(how);
    expect(how.warnings).toEqual(
      names.map((name) => `${name} ${path} can be read by others (mode 0644): chmod 600 ${path}`),
    );
  });

  it("does not call a missing certificate a secret", async () => {
    secret.file("/nonexistent/ui.crt");
    await expect(settleSecrets(settling())).rejects.toMatchObject({
      failure: {
        what: "the file /nonexistent/ui.crt cannot be read",
        hint: "Give the path of a file that contains only this value; furrow treats it as a secret",
      },
    });
  });

  it.each<[string, () => void]>([
    ["an unset variable", () => void secret.env("FURROW_TEST_UNSET")],
    ["a missing file", () => void secret.file("/nonexistent/secret")],
  ])("refuses %s", async (_name, make) => {
    make();
    await expect(settleSecrets(settling())).rejects.toMatchObject({ code: "E_SECRET" });
  });

  it("makes a key pair only once; ssh2 can read it, and its public half never changes", async () => {
    const pair = generatedKey("nodes/key");
    await settleSecrets(settling({ mode: "check" }));
    const tried = reveal(pair.publicKey);
    expect(() => readdirSync(join(stateFolder(), "generated"))).toThrow("ENOENT");
    expect(tried).toMatch(/^ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI[A-Za-z0-9+/]+$/);
    const next = generatedKey("other/key");
    await settleSecrets(settling());
    const path = join(stateFolder(), "generated/other%2Fkey");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const key = ssh2.utils.parseKey(readFileSync(path)) as ParsedKey;
    expect(`${key.type} ${key.getPublicSSH().toString("base64")}`).toBe(reveal(next.publicKey));
    expect(key.isPrivateKey()).toBe(true);
    expect(key.comment).toBe("other/key");
    expect(reveal(generatedKey("other/key").publicKey)).toBe(reveal(next.publicKey));
    expect(next.identityFile).toBe("generated:other/key");
  });

  it("stores a generated secret with mode 0600 and reuses it", async () => {
    const first = generated("db password", { length: 40, alphabet: "ab" });
    await settleSecrets(settling());
    expect(reveal(first)).toMatch(/^[ab]{40}$/);
    const [file] = readdirSync(join(stateFolder(), "generated"));
    const path = join(stateFolder(), "generated", file ?? "");
    expect(readFileSync(path, "utf8")).toBe(reveal(first));
    expect(statSync(path).mode & 0o777).toBe(0o600);
    // The label differs from the first one, so the value comes from the file and not from memory.
    writeFileSync(join(stateFolder(), "generated", "kept"), "the kept one");
    const second = generated("kept");
    settleQuietSecrets(settling());
    expect(reveal(second)).toBe("the kept one");
  });

  it("stores nothing in check mode", async () => {
    const made = generated("only for a check");
    await settleSecrets(settling({ mode: "check" }));
    expect(reveal(made)).toHaveLength(32);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("reuses the seal key", async () => {
    await settleSecrets(settling());
    const key = currentSealKey();
    await settleSecrets(settling());
    expect(currentSealKey()).toBe(key);
    expect(statSync(join(stateFolder(), "seal-key")).mode & 0o777).toBe(0o600);
  });
});
