import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { homedir, userInfo } from "node:os";
import { isAbsolute, join } from "node:path";
import { FurrowError } from "../../core/errors.ts";
import type { SshAsked, SshSettings } from "../inventory/address.ts";
import { sshSettings } from "./ssh-config.ts";
import { globPaths } from "./glob.ts";
import { type ReadInclude, type Statement, parseSshConfig } from "./lines.ts";
import { expandHome } from "./tokens.ts";

/** A ssh_config file that may be there, and the folder its relative includes are looked for in. */
interface ConfigFile {
  readonly path: string;
  readonly folder: string;
}

/**
 * Tells what the user's ssh_config and the system's say about a host name, with all they include. They are read at the
 * first question, so that a run without ssh needs none; files that are not there say nothing. The questions throw E_FILE.
 * A command of `Match exec` is run only where the question says so, and once.
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

/** Seconds that a command of `Match exec` may take. */
const execSeconds = 30;

/** As ssh runs it (readconf.c, execute_in_shell): by the user's shell, which hears and says nothing. */
function endsWell(command: string): boolean {
  const shell = process.env["SHELL"] || "/bin/sh";
  const { status, error } = spawnSync(shell, ["-c", command], { stdio: "ignore", timeout: execSeconds * 1000 });
  if (error === undefined) return status === 0;
  throw new FurrowError("E_FILE", {
    what: "a command that ssh_config names with Match exec cannot be run",
    current: `${command}: ${error.message}`,
    hint: "Run the command by hand, or set matchExec: false, so that none is run",
    cause: error,
  });
}

/** The lines of one ssh_config file, with all it includes; none where it is not there. Throws E_FILE. */
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
    return readFileSync(path, "utf8");
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // A folder that an Include names holds no line.
    if (code === "ENOENT" || code === "ENOTDIR" || code === "EISDIR") return undefined;
    throw new FurrowError("E_FILE", {
      what: `the ssh_config file ${path} cannot be read`,
      current: message,
      hint: "Make the file readable, or remove the Include that names it",
      cause: error,
    });
  }
}
