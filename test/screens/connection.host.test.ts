import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeUser, removeAccounts, setSudoers } from "../transport/become/accounts.ts";
import { freePort, isRoot, makeKey, publicKey, removeFolders, startSshd, type Sshd } from "../transport/sshd.ts";
import { expectOnPage } from "./on-page.ts";
import { playbookOf, Screens } from "./screens.ts";

const screens = new Screens(
  "On the way to a host",
  "None of these hosts was changed. The exit code is 3 for an unreachable host, and 1 if the host was reached and the run failed there.",
);
const user = "furrow-screens";
const password = "a password of its own";
let sshd: Sshd;

/** An inventory whose hosts all connect to this machine's sshd, each with different settings. */
function hosts(...entries: readonly string[]): string {
  return `import { inventory } from "furrow";\n\nexport default inventory({\n  user: "${user}",\n  knownHostsFile: "known_hosts",\n  hosts: {\n${entries.map((entry) => `    ${entry},\n`).join("")}  },\n});\n`;
}

function at(name: string, more = ""): string {
  return `${name}: { address: "127.0.0.1", port: ${sshd.port}, identityFile: "id_good"${more} }`;
}

const files = (...entries: readonly string[]): { readonly files: Record<string, string> } => ({
  files: { "inventory.ts": hosts(...entries) },
});

if (!isRoot) process.stderr.write("skipped without root: screens of connections (they need a user and sudo rules)\n");

describe.runIf(isRoot)("on the way to a host", () => {
  beforeAll(async () => {
    makeUser(user, password);
    setSudoers(user, `${user} ALL=(ALL) ALL`);
    const good = makeKey(screens.folder, "id_good");
    makeKey(screens.folder, "id_other");
    sshd = await startSshd({ authorizedKeys: [good], hostKeyTypes: ["ed25519"] });
    screens.put("known_hosts", `[127.0.0.1]:${sshd.port} ${publicKey(sshd.hostKeys.ed25519)}\n`);
    screens.put("site.ts", playbookOf('file({ path: "/tmp/furrow-screens", state: "absent" }),'));
    screens.put(
      "root.ts",
      playbookOf('file({ path: "/tmp/furrow-screens", state: "absent" }),').replace(
        'hosts: "all",',
        'hosts: "all",\n      become: true,',
      ),
    );
    screens.steady([String(sshd.port), "2222"]);
  });
  afterAll(async () => {
    await sshd?.stop();
    removeAccounts();
    removeFolders();
    screens.remove();
  });

  const check = (site = "site.ts"): string[] => ["check", site, "-i", "inventory.ts"];

  it("A host on which nothing listens", async () => {
    const port = await freePort();
    screens.steady([String(port), "2200"]);
    const entry = `web1: { address: "127.0.0.1", port: ${port}, identityFile: "id_good", connectTimeoutSeconds: 1 }`;
    screens.put(
      "known_hosts_too",
      readFileSync(`${screens.folder}/known_hosts`, "utf8").replaceAll(String(sshd.port), String(port)),
    );
    const text = hosts(entry).replace('"known_hosts"', '"known_hosts_too"');
    const seen = await screens.play({
      title: "A host that cannot be reached",
      files: { "inventory.ts": text },
      args: check(),
    });
    expect(seen.text).toMatch(/E_UNREACHABLE[^]*web1[^]*hint/);
    expect(seen.code).toBe(3);
  });

  it("A name that does not exist", async () => {
    const text = files(
      'web1: { address: "no-such-host.invalid", identityFile: "id_good", hostKeyPolicy: "off", connectTimeoutSeconds: 1 }',
    );
    const seen = await screens.play({ title: "A name that no name server knows", ...text, args: check() });
    expect(seen.text).toMatch(/E_UNREACHABLE[^]*no-such-host\.invalid/);
    expect(seen.code).toBe(3);
  });

  it("Unknown host keys", async () => {
    screens.put("known_hosts_empty", "");
    const text = hosts(at("web1"), at("web2").replace("127.0.0.1", "localhost")).replace(
      '"known_hosts"',
      '"known_hosts_empty"',
    );
    const title = "Hosts with unknown keys: all of them at once";
    const seen = await screens.play({ title, files: { "inventory.ts": text }, args: check() });
    expect(seen.text).toMatch(
      /^E_HOST_KEY[^]*keys of 2 hosts[^]*nothing was run[^]*web1 +ssh-ed25519 SHA256[^]*\[localhost\]:2222 ssh-ed25519/,
    );
    expect(seen.code).toBe(3);
  });

  it("A changed host key", async () => {
    screens.put("known_hosts_old", `[127.0.0.1]:${sshd.port} ${publicKey(`${screens.folder}/id_other`)}\n`);
    const text = hosts(at("web1")).replace('"known_hosts"', '"known_hosts_old"');
    const seen = await screens.play({
      title: "A host whose key has changed",
      files: { "inventory.ts": text },
      args: check(),
    });
    expect(seen.text).toMatch(/E_HOST_KEY[^]*changed[^]*known_hosts_old:1/);
    expect(seen.code).toBe(3);
  });

  it("A refused key", async () => {
    const text = files(at("web1").replace("id_good", "id_other"));
    const seen = await screens.play({ title: "A key that the host refuses", ...text, args: check() });
    expect(seen.text).toMatch(/E_AUTH[^]*id_other/);
    expect(seen.code).toBe(3);
  });

  it("A wrong sudo password", async () => {
    screens.put("become-password", "not it\n");
    const seen = await screens.play({
      title: "A wrong password for sudo",
      ...files(at("web1")),
      args: [...check("root.ts"), "--become-password-file", "become-password"],
    });
    expect(seen.text).toMatch(/E_BECOME[^]*hint/);
    expect(seen.text).not.toContain("not it");
    expect(seen.code).toBe(1);
  });

  it("No sudo password", async () => {
    const seen = await screens.play({
      title: "sudo wants a password, and none is given",
      ...files(at("web1")),
      args: check("root.ts"),
    });
    expect(seen.text).toMatch(/E_BECOME[^]*--ask-become-pass|E_BECOME[^]*-K/);
    expect(seen.code).toBe(1);
  });

  it("the page matches these transcripts", async () => {
    await expectOnPage(screens, "4-connection.md");
  });
});
