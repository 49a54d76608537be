import { readState, writeState } from "./state-folder.ts";

const file = "logins.json";

let kept: Map<string, string> | undefined;

/**
 * What let us in last time (`key ~/.ssh/id_ed25519`, `password`), by `user@host:port`: names, never the thing itself.
 * It is read from the state folder once and written back as the process ends, where it has changed. It only saves round
 * trips, so a file that cannot be read or written is nobody's failure.
 */
export function keptLogins(): Map<string, string> {
  if (kept !== undefined) return kept;
  kept = readLogins();
  const before = new Map(kept);
  process.once("exit", () => {
    const now = kept ?? before;
    if (now.size === before.size && [...now].every(([account, name]) => before.get(account) === name)) return;
    try {
      // Another run may have written meanwhile: what it learnt stays, what was taken back here goes.
      const merged = new Map([...readLogins(), ...now]);
      for (const account of before.keys()) if (!now.has(account)) merged.delete(account);
      writeState(file, `${JSON.stringify(Object.fromEntries(merged), undefined, 1)}\n`);
    } catch {
      // Next time everything is asked again.
    }
  });
  return kept;
}

function readLogins(): Map<string, string> {
  try {
    const read: unknown = JSON.parse(readState(file) ?? "{}");
    if (typeof read !== "object" || read === null || Array.isArray(read)) return new Map();
    return new Map(Object.entries(read).filter((entry): entry is [string, string] => typeof entry[1] === "string"));
  } catch {
    return new Map();
  }
}
