import type { Connection } from "../../core/inventory/inventory-entries.ts";
import { sshWords } from "./words.ts";

/** Flags of the inner ssh that change neither the jump host nor the way ssh logs in to it. */
const needlessFlags = new Set("46ACaqTtxvnN");

/** `-o` options of the inner ssh that also change neither the jump host nor the login. */
const needlessOptions =
  /^(?:ControlMaster|ControlPersist|ControlPath|Compression|ForwardAgent|LogLevel|BatchMode|ConnectTimeout|ServerAliveInterval|ServerAliveCountMax)\s*[=\s]/i;

/**
 * The jump host of `ssh -W %h:%p [-q] [-p PORT] [-l USER] [USER@]HOST`. Undefined for other commands, and for an ssh
 * with options that a jump host's name cannot express, such as its own key file.
 */
export function jumpOf(command: string): Connection | undefined {
  if (command.trim().toLowerCase() === "none") return { proxyJump: "none" };
  const [, said] = /^\s*(?:exec\s+)?(?:\/\S*\/)?ssh\s+(.*)$/s.exec(command) ?? [];
  const words = said === undefined ? undefined : sshWords(said);
  if (words === undefined) return undefined;
  let host: string | undefined;
  let port: string | undefined;
  let user: string | undefined;
  let forwards = false;
  for (const { flag, value } of words) {
    const [, option, own = ""] = /^\s*(Port|User)(?:\s*=\s*|\s+)(.*)$/i.exec(value) ?? [];
    if (flag === "W" && /^\[?%h\]?:%p$/.test(value)) forwards = true;
    else if (flag === "p" || (flag === "o" && option?.toLowerCase() === "port")) port ??= flag === "p" ? value : own;
    else if (flag === "l" || (flag === "o" && option?.toLowerCase() === "user")) user ??= flag === "l" ? value : own;
    else if (flag === "" && host === undefined) host = value;
    else if (!needlessFlags.has(flag) && !(flag === "o" && needlessOptions.test(value))) return undefined;
  }
  if (!forwards || host === undefined) return undefined;
  const jump = `${user === undefined || host.includes("@") ? "" : `${user}@`}${host}${port === undefined ? "" : `:${port}`}`;
  return /^(?:[\w.+-]+@)?(?:[\w.-]+|\[[\da-f:.]+\])(?::\d+)?$/i.test(jump) ? { proxyJump: jump } : undefined;
}
