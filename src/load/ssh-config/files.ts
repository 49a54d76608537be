import { spawnSync } from "node:child_process";
import { homedir, userInfo } from "node:os";
import { isAbsolute, join } from "node:path";
import { FurrowError } from "../../core/errors.ts";
import type { SshAsked, SshSettings } from "../inventory/address.ts";
import { readNamedFile } from "../named-file.ts";
import { sshSettings } from "./ssh-config.ts";
import { globPaths } from "./glob.ts";
import { type ReadInclude, type Statement, parseSshConfig } from "./lines.ts";
import { expandHome } from "./tokens.ts";

/** An ssh_config file, which might not exist, and the folder for its relative includes. */
interface ConfigFile {
  readonly path: string;
  readonly folder: string;
}

/**
 * Returns a function that looks up a host name in the user's and the system's ssh_config, with their includes. The
 * files are read on the first lookup, because a run without ssh does not need them; missing files are ignored. A `Match
 * exec` command runs only if the lookup allows it, and only once. Lookups throw E_FILE.
 */
export function readSshConfig(home: string = homedir()): (name: string, asked?: SshAsked) => SshSettings {
  const files: ConfigFile[] = [
    { path: join(home, ".ssh/config"), folder: join(home, ".ssh") },
    { path: "/etc/ssh/ssh_config", folder: "/etc/ssh" },
  ];
  let configuration: Statement[][] | undefined;
  const ended = new Map<string, boolean>();
  const exec = (command: string): boolean => {
    const well = ended.get(command) ?? endsWell(command);
    ended.set(command, well);
    return well;
  };
  return (name, { user, port, matchExec = false } = {}) => {
    configuration ??= files.map((file) => readConfigFile(file, home));
    return sshSettings(configuration, {
      name,
      ...(user !== undefined && { user }),
      ...(port !== undefined && { port }),
      localUser: userInfo().username,
      home,
      env: process.env,
      exec: matchExec ? exec : undefined,
    });
  };
}

/** Time limit of a `Match exec` command, in seconds. */
const execSeconds = 30;

/** Runs a command as ssh does (readconf.c, execute_in_shell): in the user's shell, without input or output. */
function endsWell(command: string): boolean {
  const shell = process.env["SHELL"] || "/bin/sh";
  const { status, error } = spawnSync(shell, ["-c", command], { stdio: "ignore", timeout: execSeconds * 1000 });
  if (error === undefined) return status === 0;
  throw new FurrowError("E_FILE", {
    what: "a Match exec command in ssh_config cannot be run",
    current: `${command}: ${error.message}`,
    hint: "Run the command by hand, or set matchExec: false to skip such commands",
    cause: error,
  });
}

/** The statements of one ssh_config file and its includes; empty if the file does not exist. Throws E_FILE. */
export function readConfigFile({ path, folder }: ConfigFile, home: string): Statement[] {
  const include: ReadInclude = (pattern) => {
    const expanded = expandHome(pattern, home);
    const absolute = isAbsolute(expanded) ? expanded : `${folder}/${expanded}`;
    return globPaths(absolute).flatMap((found) => {
      const text = textOf(found);
      return text === undefined ? [] : [{ path: found, text }];
    });
  };
  const text = textOf(path);
  return text === undefined ? [] : parseSshConfig(text, path, include);
}

function textOf(path: string): string | undefined {
  try {
    return readNamedFile(path);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // A missing file is treated as empty, and so is a folder named by an Include.
    if (code === "ENOENT" || code === "ENOTDIR" || code === "EISDIR") return undefined;
    throw new FurrowError("E_FILE", {
      what: `the ssh_config file ${path} cannot be read`,
      current: message,
      hint: "Make the file readable, or remove the Include that names it",
      cause: error,
    });
  }
}
