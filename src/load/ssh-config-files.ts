import { globSync, readFileSync } from "node:fs";
import { homedir, userInfo } from "node:os";
import { isAbsolute, join } from "node:path";
import { FurrowError } from "../core/errors.ts";
import type { SshSettings } from "./address.ts";
import { sshSettings } from "./ssh-config.ts";
import { type ReadInclude, type Statement, parseSshConfig } from "./ssh-config-lines.ts";

/** A ssh_config file that may be there, and the folder its relative includes are looked for in. */
interface ConfigFile {
  readonly path: string;
  readonly folder: string;
}

/**
 * Tells what the user's ssh_config and the system's say about a host name, with all they include. They are read at the
 * first question, so that a run without ssh needs none; files that are not there say nothing. The questions throw E_FILE.
 */
export function readSshConfig(home: string = homedir()): (name: string) => SshSettings {
  const files: ConfigFile[] = [
    { path: join(home, ".ssh/config"), folder: join(home, ".ssh") },
    { path: "/etc/ssh/ssh_config", folder: "/etc/ssh" },
  ];
  let configuration: Statement[][] | undefined;
  return (name) => {
    configuration ??= files.map((file) => readFile(file, home));
    return sshSettings(configuration, { name, localUser: userInfo().username, home, env: process.env });
  };
}

function readFile({ path, folder }: ConfigFile, home: string): Statement[] {
  const include: ReadInclude = (pattern) => {
    const expanded = pattern.startsWith("~/") ? join(home, pattern.slice(2)) : pattern;
    const absolute = isAbsolute(expanded) ? expanded : join(folder, expanded);
    return globSync(absolute)
      .toSorted()
      .flatMap((found) => {
        const text = textOf(found);
        return text === undefined ? [] : [{ path: found, text }];
      });
  };
  const text = textOf(path);
  return text === undefined ? [] : parseSshConfig(text, path, include);
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw new FurrowError("E_FILE", {
      what: `the ssh_config file ${path} cannot be read`,
      current: message,
      hint: "Make the file readable, or remove the Include that names it",
      cause: error,
    });
  }
}
