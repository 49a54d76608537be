import { FurrowError } from "../../core/errors.ts";
import type { Become } from "../../core/host/transport.ts";
import type { Refusal } from "./password-prompt.ts";

/** True if the program demands a terminal (sudo's requiretty and similar). */
export function wantsTerminal({ said }: Refusal): boolean {
  return /must have a tty|tty is required|terminal is required|must be run from a terminal|not a tty/i.test(said);
}

/** The error for a login shell that did not start `sh`. */
export function noShell(host: string, { said, code, silent }: Refusal): FurrowError {
  return new FurrowError("E_PROTOCOL", {
    what: `the login shell on ${host} does not start sh`,
    where: { host },
    current: silent ? "no answer in 90 s" : `it exited with code ${code ?? "unknown"}`,
    expected: "a login shell that runs `exec sh`",
    hint: "Give the user a real login shell, and make sure that its start-up files neither exit nor read input",
    details: lines(said),
  });
}

/**
 * The error for a failed become, based on the messages of sudo, su or doas. `listing` is the output of `sudo -n -l`.
 */
export function notBecome(host: string, become: Become, refusal: Refusal, listing: string | undefined): FurrowError {
  const { method, user } = become;
  const { current, hint } = reason(become, refusal, listing);
  return new FurrowError("E_BECOME", {
    what: `${method} cannot switch to ${user} on ${host}`,
    where: { host },
    current,
    expected: `a shell as ${user}`,
    hint,
    details: lines(refusal.said),
    ...(isWrongPassword(become, refusal) && { cause: new WrongPassword(method) }),
  });
}

/** Marks the cause of an E_BECOME that must not be retried with the same password. */
export class WrongPassword extends Error {}

/** True if the program has checked the password and rejected it. */
function isWrongPassword({ password }: Become, { said, wrongPassword }: Refusal): boolean {
  const complains = /incorrect password|auth\w+ fail|try again|incorrect auth/i;
  return password !== undefined && (wrongPassword || complains.test(said));
}

interface Reason {
  readonly current: string;
  readonly hint: string;
}

const givePassword = "Provide the become password with -K or --become-password-file";

function reason({ method, user, password }: Become, refusal: Refusal, listing: string | undefined): Reason {
  const { said } = refusal;
  if (/not found/i.test(said) && refusal.code === 127) {
    return { current: `there is no ${method} on the host`, hint: `Install ${method}, or choose another become method` };
  }
  if (/unknown user|does not exist|no passwd entry/i.test(said)) {
    return {
      current: `there is no user ${user} on the host`,
      hint: "Correct the name of the become user, or create that user first",
    };
  }
  if (/not in the sudoers file|may not run sudo/i.test(said)) {
    return { current: "the user is not in sudoers", hint: "Add the user to sudoers, or connect as another user" };
  }
  if (/is not allowed to (execute|run)/i.test(said) || isLimited(listing)) {
    return {
      current: "sudo is limited to single commands for this user",
      hint: "Allow the user ALL commands in sudoers: furrow needs a shell, because it runs whole frames, not single commands",
    };
  }
  if (method === "doas" && /not permitted|not enabled/i.test(said)) {
    return {
      current: "doas does not allow this user to run a shell",
      hint: "Add a rule without cmd for the user to doas.conf, because furrow needs a shell",
    };
  }
  if (/permission denied/i.test(said) && method === "su") {
    return {
      current: "su does not let this user switch to another user",
      hint: "Add the user to the group that su requires (pam_wheel)",
    };
  }
  if (password === undefined) {
    const required = refusal.asked || /password is required|auth\w+ (is )?required|authentication failure/i.test(said);
    if (required) return { current: `${method} asks for a password, and none was given`, hint: givePassword };
  } else if (isWrongPassword({ method, user, password }, refusal)) {
    return { current: "the become password is wrong; it was tried once", hint: `Check it. ${givePassword}` };
  }
  if (refusal.silent) {
    return {
      current: `no answer in 90 s`,
      hint: `Run ${method} by hand on the host to see what it waits for, which is often a name server`,
    };
  }
  return {
    current: lines(said).at(-1) ?? `it exited with code ${refusal.code ?? "unknown"}`,
    hint: `Run ${method} by hand on the host to see its message`,
  };
}

/** True if sudo lists commands that it runs without a password, but a shell is not among them. */
function isLimited(listing: string | undefined): boolean {
  return listing !== undefined && /may run the following/i.test(listing) && !/\)\s*(\w+:\s*)*ALL\s*$/m.test(listing);
}

function lines(text: string): string[] {
  return text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .slice(-10);
}
