import { FurrowError } from "../../core/errors.ts";
import type { Become } from "../../core/host/transport.ts";

/** One way to start a shell, and how to communicate with the process that it starts. */
export interface ShellCommand {
  /**
   * Valid in any login shell: contains only words and single-quoted strings without a backslash, newline or `!` in
   * them.
   */
  readonly line: string;
  /** The part of the line that programs quote in their errors; removed from messages. */
  readonly script: string;
  /** A line on stdout that reports that the target user's shell is running. */
  readonly started: string;
  /** The line that the shell waits for; the shell drops everything before that line. */
  readonly go: string;
  /** The line that precedes all output of the shell, on stdout, and on stderr unless a terminal joins the two. */
  readonly ready: string;
  /** Matches a password prompt: furrow's own anywhere, others only at the end of the output so far. */
  readonly prompt: RegExp | undefined;
  /** True if the command runs on a terminal, which joins stdout and stderr. */
  readonly terminal: boolean;
  /** When the password is sent: with the command or, if the program drops earlier input, only after the prompt. */
  readonly password: "at once" | "when asked" | "never";
  /** True if only the expected shell reads stdin, so `go` may follow the command immediately. */
  readonly goAtOnce: boolean;
}

const userName = /^[A-Za-z0-9_][A-Za-z0-9_.@-]*\$?$/;

/**
 * Builds the command that starts `sh` with the requested privilege. `nonce` makes its markers unique; `pty` is true if
 * the command will run on a terminal. Throws E_BECOME for a user name that is unsafe in a shell.
 */
export function shellCommand(become: Become | undefined, nonce: string, pty: boolean): ShellCommand {
  const markers = { started: `start-${nonce}`, go: `go-${nonce}`, ready: `ready-${nonce}`, terminal: pty };
  const inner = innerScript(markers, pty);
  if (become === undefined) {
    return {
      ...markers,
      script: inner,
      line: `exec sh -c '${inner}'`,
      prompt: undefined,
      password: "never",
      goAtOnce: true,
    };
  }
  if (!userName.test(become.user)) {
    throw new FurrowError("E_BECOME", {
      what: `"${become.user}" is not a user name`,
      expected: "letters, digits, _ . @ -",
      hint: "Correct the name of the become user",
    });
  }
  const wrapper = becomeCommands[become.method](become, `ask-${nonce}:`, pty);
  // If the login user is already the target user, neither sudo nor a password is needed. Root switches users with su,
  // which needs no sudo rule; minimal systems have no sudo at all.
  const outer = [
    "LC_ALL=C; export LC_ALL",
    `if [ "$(id -un)" = ${become.user} ]; then exec sh -c "$0"; fi`,
    `if [ "$(id -u)" = 0 ] && command -v su >/dev/null; then exec su -s /bin/sh -c "$0" ${become.user}; fi`,
    `exec ${wrapper.command}`,
  ].join("; ");
  const password = become.password === undefined ? "never" : pty ? "when asked" : wrapper.password;
  return {
    ...markers,
    script: inner,
    line: `exec sh -c '${outer}' '${inner}'`,
    prompt: wrapper.prompt,
    password,
    goAtOnce: wrapper.goAtOnce && !pty && password === "never",
  };
}

/**
 * The script that runs with the requested privilege: it reports its start, reads lines until `go`, then becomes the
 * shell. If the password was sent but not asked for, it is read as one of these lines, so the shell never sees it. On a
 * terminal, pipes keep the shell non-interactive.
 */
function innerScript({ started, go, ready }: { started: string; go: string; ready: string }, pty: boolean): string {
  const then = pty
    ? `echo; echo ${ready}; sh 2>&1 | cat; exit`
    : `echo; echo ${ready}; echo >&2; echo ${ready} >&2; exec sh`;
  return `echo; echo ${started}; while IFS= read -r l; do if [ "$l" = ${go} ]; then ${then}; fi; done; exit 1`;
}

interface BecomeCommand {
  readonly command: string;
  readonly prompt: RegExp | undefined;
  readonly password: ShellCommand["password"];
  readonly goAtOnce: boolean;
}

const becomeCommands: Record<Become["method"], (become: Become, ask: string, pty: boolean) => BecomeCommand> = {
  sudo: ({ user, password }, ask) => ({
    command: password === undefined ? `sudo -n -H -u ${user} sh -c "$0"` : `sudo -S -H -p ${ask} -u ${user} sh -c "$0"`,
    prompt: password === undefined ? undefined : new RegExp(ask, "g"),
    password: "at once",
    goAtOnce: true,
  }),
  su: ({ user }) => ({
    command: `su -s /bin/sh -c "$0" ${user}`,
    prompt: /password[^\n]*: ?$/gi,
    password: "at once",
    // Even if no password is given, su may ask for one, and would read the next line as the password.
    goAtOnce: false,
  }),
  doas: ({ user, password }) => ({
    command: `doas ${password === undefined ? "-n " : ""}-u ${user} sh -c "$0"`,
    prompt: password === undefined ? undefined : /password[^\n]*: ?$/gi,
    password: "when asked",
    goAtOnce: true,
  }),
};

/** True if a method reads its password only from a terminal. */
export function needsTerminal(become: Become | undefined): boolean {
  return become?.method === "doas" && become.password !== undefined;
}
