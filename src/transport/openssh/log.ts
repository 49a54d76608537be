/** The stderr of an ssh process with LogLevel=DEBUG1, split into messages and debug lines. */
export interface SshLog {
  /** Normal messages: errors, warnings, the host's banner. */
  readonly said: readonly string[];
  /** Debug lines. */
  readonly debug: readonly string[];
}

const prefix = "debug1: ";

/** Splits a log into messages and debug lines. */
export function readLog(text: string): SshLog {
  const lines = text.split("\n").map((line) => line.replace(/\r$/, ""));
  return {
    said: lines.filter((line) => line.trim() !== "" && !line.startsWith(prefix) && !/^OpenSSH_\d/.test(line)),
    debug: lines.filter((line) => line.startsWith(prefix)).map((line) => line.slice(prefix.length)),
  };
}

/** The text of a pattern's first group, from the last line that matches the pattern. */
export function lastOf(lines: readonly string[], pattern: RegExp): string | undefined {
  return lines.flatMap((line) => pattern.exec(line)?.[1] ?? []).at(-1);
}

/** The keys and methods that were offered to the host, in order. */
export function offeredIn({ debug }: SshLog): string[] {
  return debug.flatMap((line) => {
    const [, key, agent] = /^Offering public key: (.*?) \S+ SHA256:\S+(?:.* (agent))?/.exec(line) ?? [];
    if (key !== undefined) return [agent === undefined ? `key ${key}` : `agent key ${key}`];
    const [, method = "publickey"] = /^Next authentication method: (\S+)/.exec(line) ?? [];
    return method === "publickey" ? [] : [method];
  });
}

/** The host key or certificate that the host presented. */
export function shownIn({ debug }: SshLog): string | undefined {
  return lastOf(debug, /^Server host (?:key|certificate): (.*)$/);
}
