/** What one ssh has told of its connection on stderr, with LogLevel=DEBUG1. */
export interface SshLog {
  /** What it says to anybody: errors, warnings, the host's banner. */
  readonly said: readonly string[];
  /** What it tells those who debug it. */
  readonly debug: readonly string[];
}

const prefix = "debug1: ";

/** Takes the lines of a log apart. */
export function readLog(text: string): SshLog {
  const lines = text.split("\n").map((line) => line.replace(/\r$/, ""));
  return {
    said: lines.filter((line) => line.trim() !== "" && !line.startsWith(prefix) && !/^OpenSSH_\d/.test(line)),
    debug: lines.filter((line) => line.startsWith(prefix)).map((line) => line.slice(prefix.length)),
  };
}

/** What the first group of a pattern finds in the last line that has it. */
export function lastOf(lines: readonly string[], pattern: RegExp): string | undefined {
  return lines.flatMap((line) => pattern.exec(line)?.[1] ?? []).at(-1);
}

/** Keys and methods that were offered to the host, in order. */
export function offeredIn({ debug }: SshLog): string[] {
  return debug.flatMap((line) => {
    const [, key, agent] = /^Offering public key: (.*?) \S+ SHA256:\S+(?:.* (agent))?/.exec(line) ?? [];
    if (key !== undefined) return [agent === undefined ? `key ${key}` : `agent key ${key}`];
    const [, method = "publickey"] = /^Next authentication method: (\S+)/.exec(line) ?? [];
    return method === "publickey" ? [] : [method];
  });
}

/** The key, or the certificate, by which the host said who it is. */
export function shownIn({ debug }: SshLog): string | undefined {
  return lastOf(debug, /^Server host (?:key|certificate): (.*)$/);
}
