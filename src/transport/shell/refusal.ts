import { FurrowError } from "../../core/errors.ts";
import type { Become } from "../../core/host/transport.ts";
import type { Refusal } from "./password-prompt.ts";

/** True where the program would do it on a terminal only (sudo's requiretty and its likes). */
export function wantsTerminal({ said }: Refusal): boolean {
  return /must have a tty|tty is required|terminal is required|must be run from a terminal|not a tty/i.test(said);
}

/** The error for a login shell that gave no `sh`. */
export function noShell(host: string, { said, code, silent }: Refusal): FurrowError {
  return new FurrowError("E_PROTOCOL", {
    what: `the login shell on ${host} does not start sh`,
    where: { host },
    current: silent ? "no answer in 90 s" : `it ended with exit code ${code ?? "unknown"}`,
    expected: "a login shell that runs `exec sh`",
    hint: "Give the user a real login shell, and let its start files neither exit nor read input",
    details: lines(said),
  });
}

/** The error for a become that failed, told apart by what sudo, su or doas said. `listing` is what `sudo -n -l` prints. */
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

/** The cause of an E_BECOME that another attempt with the same password could only make worse. */
export class WrongPassword extends Error {}

/** True where the program has looked at the password and says that it is wrong. */
function isWrongPassword({ password }: Become, { said, wrongPassword }: Refusal): boolean {
  const complains = /incorrect password|auth\w+ fail|try again|incorrect auth/i;
  return password !== undefined && (wrongPassword || complains.test(said));
}

interface Reason {
  readonly current: string;
  readonly hint: string;
}

const givePassword = "Give the become password with -K or --become-password-file";

function reason({ method, user, password }: Become, refusal: Refusal, listing: string | undefined): Reason {
  const { said } = refusal;
  if (/not found/i.test(said) && refusal.code === 127) {
    return { current: `there is no ${method} on the host`, hint: `Install ${method}, or choose another become method` };
  }
  if (/unknown user|does not exist|no passwd entry/i.test(said)) {
    return { current: `there is no user ${user} on the host`, hint: "Correct the user to become, or create it first" };
  }
  if (/not in the sudoers file|may not run sudo/i.test(said)) {
    return { current: "the user is not in sudoers", hint: "Add the user to sudoers, or connect as another user" };
  }
  if (/is not allowed to (execute|run)/i.test(said) || isLimited(listing)) {
    return {
      current: "sudo is limited to single commands for this user",
      hint: "Allow the user ALL commands in sudoers: furrow needs a shell, it runs whole frames and not single commands",
    };
  }
  if (method === "doas" && /not permitted|not enabled/i.test(said)) {
    return {
      current: "doas does not permit this user a shell",
      hint: "Permit the user in doas.conf, without a cmd: furrow needs a shell",
    };
  }
  if (/permission denied/i.test(said) && method === "su") {
    return { current: "su does not permit this user", hint: "Add the user to the group su asks for (pam_wheel)" };
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
      hint: `Run ${method} on the host by hand and see what it waits for, often a name server`,
    };
  }
  return {
    current: lines(said).at(-1) ?? `it ended with exit code ${refusal.code ?? "unknown"}`,
    hint: `Run ${method} on the host by hand and see what it says`,
  };
}

/** True where sudo lists commands it would run without a password, and a shell is not among them. */
function isLimited(listing: string | undefined): boolean {
  return listing !== undefined && /may run the following/i.test(listing) && !/\)\s*(\w+:\s*)*ALL\s*$/m.test(listing);
}

function lines(text: string): string[] {
  return text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .slice(-10);
}
