import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { secretOf } from "../../src/core/secrets/secret.ts";
import type { Become } from "../../src/core/host/transport.ts";

/** A host that is unusual in one respect, and the results that frames must return on it. */
export interface OddHost {
  readonly name: string;
  /** The user's login shell; default bash. */
  readonly login?: string;
  /** The program that runs as `sh`. Default: this machine's `sh`. */
  readonly sh?: string;
  readonly become?: Become;
  /** Lines in sudoers for the user. */
  readonly sudoers?: readonly string[];
  /** Shell lines that run in the host's own mount namespace. */
  readonly world?: string;
  /** A path where a file can be written; undefined if no path is writable. */
  readonly writable?: string | undefined;
  /** Number of sessions that are opened one after another; default 1. */
  readonly times?: number;
  readonly refused?: { readonly code: string; readonly current: string };
  /** The number of failed attempts that the host has counted at the end. */
  readonly counted?: number;
}

/** The user and folders with which odd hosts are set up. */
export interface OddHostParts {
  readonly user: string;
  /** The user's password. */
  readonly password: string;
  /** A folder that is visible on all of the hosts. */
  readonly folder: string;
  /** The folder in which PAM counts failures. */
  readonly tally: string;
}

/** Shell lines that mount another /tmp and keep this test's folders in place. */
const otherTmp = (options: string): string =>
  [
    `mount --bind /tmp /mnt && mount -t tmpfs -o ${options} none /tmp`,
    'for f in /mnt/furrow-transport-*; do mkdir "/tmp/${f##*/}"; mount --bind "$f" "/tmp/${f##*/}"; done',
  ].join("\n");

/** Shell lines that make every mount read-only except these. */
const readOnly = (...writable: readonly string[]): string =>
  ["/", "/run", "/tmp", "/var/tmp", "/dev/shm", "/home"]
    .filter((path) => !writable.includes(path))
    .map((path) => `${path === "/" ? "" : `mount --rbind ${path} ${path}; `}mount -o remount,bind,ro ${path}`)
    .join("\n");

/**
 * Hosts with every shell and every form of sudo that frames must support, and hosts that each lack one of the programs
 * that frames can do without. Creates files in the folder.
 */
export function oddHosts({ user, password, folder, tally }: OddHostParts): readonly OddHost[] {
  const own = secretOf(password, "become password");
  const sudo = (password?: Become["password"]): Become => ({
    method: "sudo",
    user: "root",
    ...(password && { password }),
  });
  const everything = `${user} ALL=(ALL) ALL`;
  const nothingAsked = `${user} ALL=(ALL) NOPASSWD: ALL`;
  const withSudo = { become: sudo(), sudoers: [nothingAsked], writable: folder } as const;

  /**
   * As on a hardened host, PAM counts sudo's failures and locks the account after the third one (pam_faillock's
   * default). sudo itself logs one attempt, as the become test expects. However, the next prompt can only be ended
   * by closing stdin, which pam_faillock counts as another failure.
   */
  const faillock = [
    `auth required pam_faillock.so preauth dir=${tally} deny=3 even_deny_root`,
    "auth [success=1 default=ignore] pam_unix.so",
    `auth [default=die] pam_faillock.so authfail dir=${tally} deny=3 even_deny_root`,
    `auth sufficient pam_faillock.so authsucc dir=${tally}`,
    "account required pam_permit.so",
    "session required pam_permit.so",
  ];
  const counting = `mount --bind ${join(folder, "pam-sudo")} /etc/pam.d/sudo`;

  const shells = { dash: "/usr/bin/dash", bash: "/usr/bin/bash", ash: join(folder, "ash"), mksh: "/usr/bin/mksh" };

  chmodSync(folder, 0o755);
  mkdirSync(tally);
  symlinkSync("/usr/bin/busybox", shells.ash);
  writeFileSync(join(folder, "pam-sudo"), `${faillock.join("\n")}\n`);

  return [
    ...Object.entries(shells).flatMap(([name, path]): OddHost[] => [
      { ...withSudo, name: `login shell ${name}`, login: path },
      { ...withSudo, name: `sh is ${name}`, sh: path },
    ]),
    { ...withSudo, name: "sudo NOPASSWD" },
    { ...withSudo, name: "sudo NOPASSWD, and a password is given anyway", become: sudo(own) },
    { ...withSudo, name: "sudo with a password", become: sudo(own), sudoers: [everything] },
    {
      ...withSudo,
      name: "sudo with a cached ticket",
      become: sudo(own),
      sudoers: [everything, `Defaults:${user} timestamp_type=global, timestamp_timeout=5`],
      times: 2,
    },
    { ...withSudo, name: "sudo requiretty", sudoers: [nothingAsked, `Defaults:${user} requiretty`] },
    {
      ...withSudo,
      name: "sudo requiretty with a password",
      become: sudo(own),
      sudoers: [everything, `Defaults:${user} requiretty`],
    },
    { ...withSudo, name: "sudo use_pty", sudoers: [nothingAsked, `Defaults:${user} use_pty`] },
    {
      ...withSudo,
      name: "sudo use_pty with a password",
      become: sudo(own),
      sudoers: [everything, `Defaults:${user} use_pty`],
    },
    {
      name: "sudo with a wrong password",
      become: sudo(secretOf("not it", "become password")),
      sudoers: [everything, `Defaults:${user} passwd_tries=3`],
      world: counting,
      refused: { code: "E_BECOME", current: "the become password is wrong; it was tried once" },
      counted: 2,
    },
    {
      ...withSudo,
      name: "sudo with the right password after the wrong password: not locked out",
      become: sudo(own),
      sudoers: [everything],
      world: counting,
      counted: 0,
    },
    {
      name: "sudo refused",
      become: sudo(own),
      sudoers: ["# nothing"],
      refused: { code: "E_BECOME", current: "the user is not in sudoers" },
    },
    {
      ...withSudo,
      name: "/tmp full",
      world: `${otherTmp("size=64k,mode=1777")}\nhead -c 1m /dev/zero >/tmp/full 2>/dev/null || :`,
      writable: "/var/tmp",
    },
    {
      ...withSudo,
      name: "/tmp and /run noexec",
      world: `${otherTmp("noexec,mode=1777")}\nmount --bind /run /run; mount -o remount,bind,noexec /run`,
      writable: "/var/tmp",
    },
    {
      ...withSudo,
      name: "read-only root, with /run and /tmp",
      world: `mount --rbind /run /run; mount --rbind /tmp /tmp\n${readOnly("/run", "/tmp")}`,
    },
    { ...withSudo, name: "nothing can be written", world: readOnly(), writable: undefined },
    { ...withSudo, name: "no systemd", world: "[ ! -d /run/systemd ] || mount -t tmpfs none /run/systemd" },
    {
      ...withSudo,
      name: "no setsid, no systemd",
      world: '[ ! -d /run/systemd ] || mount -t tmpfs none /run/systemd; mount --bind /dev/null "$(command -v setsid)"',
    },
  ];
}
