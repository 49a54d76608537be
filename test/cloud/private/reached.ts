import { userInfo } from "node:os";
import { afterAll, afterEach, beforeAll, beforeEach, expect, vi } from "vitest";
import type { Playbook } from "../../../src/authoring.ts";
import { findDriver } from "../../../src/cli/drivers/index.ts";
import { Policy } from "../../../src/cli/run/policy/policy.ts";
import { makeKey, publicKey, removeFolders, type Sshd, startSshd, temporaryFolder } from "../../transport/sshd.ts";
import { folderWith } from "../../transport/ssh/tunnels/programs.ts";
import { furrow } from "../furrow.ts";
import { type RunHere, runHere } from "../run-here.ts";

/** The key of the login. */
export const key: string = makeKey(temporaryFolder(), "id");
/** The login user of all machines. */
export const login: string = userInfo().username;
/** The home of the commands in a test. */
export const home: string = temporaryFolder();

/**
 * Starts one SSH server for the tests in a file: it acts as every machine to which the stand-ins for the clouds'
 * programs open a tunnel.
 */
export function sshdBehindTunnels(): { readonly port: () => number; readonly hostKey: () => string } {
  const programs = folderWith("aws", "gcloud", "session-manager-plugin");
  const path = process.env["PATH"] ?? "";
  let sshd: Sshd;
  beforeAll(async () => {
    sshd = await startSshd({ authorizedKeys: [key] });
  });
  afterAll(async () => {
    await sshd.stop();
    removeFolders();
  });
  beforeEach(() => {
    vi.stubEnv("PATH", `${programs}:${path}`);
    vi.stubEnv("HOME", home);
    vi.stubEnv("FURROW_TEST_INSTANCES", JSON.stringify({ "*": sshd.port }));
  });
  afterEach(() => vi.unstubAllEnvs());
  return { port: () => sshd.port, hostKey: () => publicKey(sshd.hostKeys.ed25519) };
}

afterEach(() => vi.unstubAllEnvs());

/** The arguments of a command that runs a playbook against this machine. */
export const wordsFor = (vars: Readonly<Record<string, unknown>>): string[] => {
  const all = Object.entries(vars).flatMap(([at, value]) => ["--var", `${at}=${String(value)}`]);
  return ["-i", "local", "--no-types", "--json", ...all];
};

/** Runs a playbook against this machine as a user would, and waits if another run has locked it. */
export const here = async (
  name: string,
  vars: Readonly<Record<string, unknown>>,
  ...words: string[]
): Promise<void> => {
  const all = ["--wait-lock", "300", ...words, ...wordsFor(vars)];
  const { code, stdout, stderr } = await furrow("run", `playbooks/${name}.ts`, ...all);
  expect(code, stdout.slice(-2000) + stderr).toBe(0);
};

/** Pings all machines in an inventory, over a real connection to a real SSH server. */
export const pong = async (inventory: string): Promise<void> => {
  const { code, stdout, stderr } = await furrow("ping", "-i", inventory, "--private-key", key);
  expect(stdout, stderr).toContain(`connected as ${login}`);
  expect(code).toBe(0);
};

/** The refusals that both a check and a run report; they must be the same. */
export const refusals = async (book: Playbook, vars: object): Promise<string[]> => {
  const say = ({ tasks }: RunHere): string[] =>
    tasks.flatMap(({ title, error }) =>
      error === undefined ? [] : [`${title}: ${error.message}\n${error.failure.current ?? ""}`],
    );
  const check = say(await runHere(book, { mode: "check", vars }));
  expect(say(await runHere(book, { vars }))).toEqual(check);
  return check;
};

/** The policy that `check --print-policy` prints, as text. */
export const policyOf = async (book: Playbook, vars: object): Promise<string> => {
  const policy = new Policy();
  const { events } = await runHere(book, { mode: "check", vars, drivers: policy.recording(findDriver) });
  for (const event of events) policy.take(event);
  return JSON.stringify(policy.result());
};
