import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { isRoot } from "../sshd.ts";

/**
 * Content of doas.conf before the first test changed it (null: the file did not exist); `removeAccounts` restores it.
 */
let savedDoas: string | null | undefined;
/** Original password hashes of users that the tests did not create. */
const hashes = new Map<string, string>();
const users: string[] = [];
const rules: string[] = [];

/**
 * Held while doas.conf or the password of one of this machine's own users is changed, because other test files change
 * them too.
 */
const lock = "/tmp/furrow-test-accounts.lock";
let isLocked = false;

/** Waits until no other test file holds the lock. A lock that is older than five minutes was left by a killed run. */
function lockAccounts(): void {
  for (let tries = 0; !isLocked; tries += 1) {
    try {
      mkdirSync(lock);
      isLocked = true;
    } catch (error) {
      if (tries > 1000) throw error;
      const since = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Infinity;
      if (Date.now() - since > 300_000) rmSync(lock, { recursive: true, force: true });
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
    }
  }
}

/** A user name that only this process uses, so two test runs on one machine do not share an account. */
export function ownName(what: string): string {
  return `furrow-${what}-${process.pid}`;
}

/** Creates a user with a password; works only as root. */
export function makeUser(name: string, password: string, shell = "/bin/bash"): void {
  deleteUser(name);
  execFileSync("useradd", ["-m", "-s", shell, name], { stdio: "ignore" });
  users.push(name);
  setPassword(name, password);
}

/** Sets a user's password. If the tests did not create the user, `removeAccounts` restores the original password. */
export function setPassword(user: string, password: string): void {
  if (!users.includes(user)) lockAccounts();
  const hash = execFileSync("getent", ["shadow", user], { encoding: "utf8" }).split(":")[1] ?? "*";
  if (!users.includes(user) && !hashes.has(user)) hashes.set(user, hash);
  execFileSync("chpasswd", { input: `${user}:${password}\n` });
}

/** Sets a user's sudo rules, or removes them. */
export function setSudoers(user: string, text: string | undefined): void {
  const path = `/etc/sudoers.d/${user}`;
  rules.push(path);
  if (text === undefined) rmSync(path, { force: true });
  else writeFileSync(path, `${text}\n`, { mode: 0o440 });
}

/** Writes doas.conf, or removes it. */
export function setDoas(text: string | undefined): void {
  lockAccounts();
  if (savedDoas === undefined) savedDoas = existsSync("/etc/doas.conf") ? readFileSync("/etc/doas.conf", "utf8") : null;
  if (text === undefined) rmSync("/etc/doas.conf", { force: true });
  else writeFileSync("/etc/doas.conf", `${text}\n`, { mode: 0o600 });
}

/** Removes every user, rule and password that the tests created. */
export function removeAccounts(): void {
  if (!isRoot) return;
  for (const path of rules.splice(0)) rmSync(path, { force: true });
  for (const user of users.splice(0)) deleteUser(user);
  for (const [user, hash] of hashes) execFileSync("usermod", ["-p", hash, user]);
  hashes.clear();
  if (savedDoas !== undefined) setDoas(savedDoas ?? undefined);
  savedDoas = undefined;
  if (isLocked) rmSync(lock, { recursive: true, force: true });
  isLocked = false;
}

function deleteUser(name: string): void {
  // Processes of the user may still be ending; -f removes the account anyway.
  const { status } = spawnSync("userdel", ["-r", "-f", name], { stdio: "ignore" });
  if (status !== 0 && status !== 6) throw new Error(`userdel ${name} exited with ${status}`);
}
