import { FurrowError, isFurrowError } from "../core/errors.ts";
import type { Become, Channel, Link } from "../core/host/transport.ts";
import { reveal } from "../core/secrets/secret.ts";
import { needsTerminal, shellCommand } from "./shell/command.ts";
import { ShellRefused, openOn } from "./shell/password-prompt.ts";
import { noShell, notBecome, wantsTerminal, WrongPassword } from "./shell/refusal.ts";
import { ShellChannel } from "./shell/shell-channel.ts";
import type { TriedPasswords } from "./tried-passwords.ts";
import { randomBytes } from "../core/world.ts";

/** Options of {@link openShell}. */
export interface ShellOptions {
  /** The host's name, for errors. */
  readonly host: string;
  /** Undefined means the user who logged in. */
  readonly become?: Become;
  readonly signal: AbortSignal;
  /**
   * True to resolve as soon as the channel is open. The first frame then travels while the host is still switching the
   * user, which saves a round trip. In that case `ended` and `write` reject with the errors that openShell would throw.
   */
  readonly eager?: boolean;
  /** The passwords that have worked or failed so far. Without this record, each call sends its password. */
  readonly tried?: TriedPasswords | undefined;
}

/**
 * Opens a channel to a POSIX `sh` that runs with the requested privilege and reads commands from stdin. Earlier output
 * from a banner, a start-up file or sudo is removed. A password is sent only once, and only to the program that asks
 * for it, and never to a host whose key has changed. Throws E_HOST_KEY, E_BECOME, E_PROTOCOL (the login shell does not
 * start sh), E_UNREACHABLE, E_INTERRUPTED.
 */
export async function openShell(link: Link, options: ShellOptions): Promise<Channel> {
  const shell = new ShellChannel();
  const opening = open(link, options, shell);
  shell.follow(opening);
  await (options.eager === true ? Promise.race([shell.attached, opening]) : opening);
  return shell;
}

async function open(link: Link, options: ShellOptions, shell: ShellChannel): Promise<void> {
  const { become, tried } = options;
  const password = become?.password;
  if (password !== undefined && link.changedKey !== undefined) throw link.changedKey;
  const sending = password && (await tried?.send(placeOf(options.host, become, reveal(password))));
  try {
    await openOnce(link, options, shell);
    sending?.accepted();
  } catch (error) {
    if (isFurrowError(error) && error.failure.cause instanceof WrongPassword) sending?.refused(error);
    else sending?.untold();
    throw error;
  }
}

/**
 * Names the program that asks for the password: su asks for the target user's password, the other methods for the login
 * user's.
 */
function placeOf(host: string, { method, user }: Become, password: string): string {
  return [host, method, method === "su" ? user : "", password].join(" ");
}

async function openOnce(link: Link, options: ShellOptions, shell: ShellChannel): Promise<void> {
  const { become, host } = options;
  try {
    const terminal = needsTerminal(become);
    try {
      await attempt(link, options, shell, terminal);
    } catch (error) {
      if (terminal || !(error instanceof ShellRefused) || !wantsTerminal(error.refusal)) throw error;
      await attempt(link, options, shell, true);
    }
  } catch (error) {
    if (error instanceof ShellRefused) {
      if (become === undefined) throw noShell(host, error.refusal);
      throw notBecome(host, become, error.refusal, await listSudo(link, become, error));
    }
    if (options.signal.aborted && !isFurrowError(error)) throw interrupted(options);
    throw error;
  }
}

async function attempt(link: Link, options: ShellOptions, shell: ShellChannel, terminal: boolean): Promise<void> {
  options.signal.throwIfAborted();
  const command = shellCommand(options.become, randomBytes(8).toString("hex"), terminal);
  const channel = await (terminal ? link.execPty(command.line) : link.exec(command.line));
  shell.attach(channel);
  await openOn(channel, command, options.become, shell, () => shell.early(), options.signal);
}

/** Lists what sudo allows without a password, to distinguish "needs a password" from "this command is not allowed". */
async function listSudo(link: Link, become: Become, { refusal }: ShellRefused): Promise<string | undefined> {
  if (become.method !== "sudo" || become.password !== undefined || !/password is required/.test(refusal.said)) {
    return undefined;
  }
  try {
    const channel = await link.exec("exec env LC_ALL=C sudo -n -l");
    let text = "";
    channel.onStdout((data) => void (text += Buffer.from(data).toString()));
    channel.onStderr(() => undefined);
    channel.end();
    await channel.ended;
    return text;
  } catch {
    return undefined;
  }
}

function interrupted({ host, signal }: ShellOptions): FurrowError {
  return new FurrowError("E_INTERRUPTED", {
    what: `opening a shell on ${host} was interrupted`,
    where: { host },
    cause: signal.reason,
  });
}
