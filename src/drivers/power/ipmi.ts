import { spawn } from "node:child_process";
import { z } from "zod";
import { FurrowError } from "../../core/errors.ts";
import type { Driver } from "../../core/host/driver.ts";
import { hideCredential, reveal } from "../../core/secrets/secret.ts";
import type { MachinePower } from "../../facts/controller/machine-power.ts";
import { bring, changeSchema } from "./bring.ts";

const accessSchema = z.strictObject({
  address: z.string().min(1),
  port: z.int().min(1).max(65_535).optional(),
  user: z.string().min(1),
  password: z.string().min(1),
  cipherSuite: z.int().min(0).max(17).optional(),
});
type Access = z.output<typeof accessSchema>;

const callSchema = accessSchema.extend({ change: changeSchema });
const commands = { on: "on", shutdown: "soft", off: "off" } as const;

/** The time limit for one run of ipmitool, and the pause between two checks of a machine, in milliseconds. */
interface Patience {
  readonly requestMs: number;
  readonly pauseMs: number;
}

/** Reads and changes the power state of machines over IPMI 2.0, with the ipmitool program on the controller. */
export const ipmiDriver: Driver = ipmiDriverWith({ requestMs: 60_000, pauseMs: 5000 });

/** Returns the driver with different time limits and pauses, for tests. */
export function ipmiDriverWith(patience: Patience): Driver {
  const ask = (access: Access, command: string, signal: AbortSignal): Promise<Ended> =>
    ipmitool(access, command, AbortSignal.any([signal, AbortSignal.timeout(patience.requestMs)]));
  return {
    name: "ipmi",
    read: (request, signal) => look(accessSchema.parse(request), (...args) => ask(...args, signal)),
    call: async (request, signal, say = () => {}) => {
      const { change, ...access } = callSchema.parse(request);
      const read = (): Promise<MachinePower> => look(access, (...args) => ask(...args, signal));
      const press = async (how: keyof typeof commands): Promise<void> => {
        const ended = await ask(access, commands[how], signal);
        if (ended.code === 0) return;
        const { message, hint } = problemOf(access, ended);
        throw new FurrowError("E_DRIVER", {
          what: `ipmitool chassis power ${commands[how]} failed for ${access.address}`,
          current: message,
          hint,
        });
      };
      await bring({ name: access.address, signal, say, pauseMs: patience.pauseMs, read, press }, change);
    },
  };
}

interface Ended {
  /** The exit code; undefined if the program did not start or did not finish. */
  readonly code: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs ipmitool. The password is in the environment, where only root and the same user can read it: `-E` in place of
 * `-P` (ipmitool(1)).
 */
function ipmitool(access: Access, command: string, signal: AbortSignal): Promise<Ended> {
  const words = ["-I", "lanplus", "-H", access.address, "-U", access.user, "-E"];
  if (access.port !== undefined) words.push("-p", String(access.port));
  if (access.cipherSuite !== undefined) words.push("-C", String(access.cipherSuite));
  const password = reveal(access.password);
  hideCredential(password, "bmc-password");
  return new Promise((resolve) => {
    const child = spawn("ipmitool", [...words, "chassis", "power", command], {
      // With -E, ipmitool prefers IPMITOOL_PASSWORD, which the operator may have set for another machine.
      env: { ...process.env, IPMI_PASSWORD: password, IPMITOOL_PASSWORD: password, LC_ALL: "C" },
      stdio: ["ignore", "pipe", "pipe"],
      signal,
    });
    const texts = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const)
      child[name].on("data", (part: Buffer) => (texts[name] = (texts[name] + part.toString()).slice(-4096)));
    child.once("error", (error: NodeJS.ErrnoException) =>
      resolve({
        ...texts,
        code: undefined,
        stderr: error.code === "ENOENT" ? "ENOENT" : texts.stderr || error.message,
      }),
    );
    child.once("close", (code) => resolve({ ...texts, code: code ?? undefined }));
  });
}

async function look(access: Access, ask: (access: Access, command: string) => Promise<Ended>): Promise<MachinePower> {
  const ended = await ask(access, "status");
  const [, state] = /^Chassis Power is (on|off)\s*$/m.exec(ended.stdout) ?? [];
  if (ended.code === 0 && state !== undefined) return { power: state as "on" | "off" };
  return { problem: problemOf(access, ended) };
}

function problemOf({ address }: Access, { stdout, stderr }: Ended): { code: string; message: string; hint: string } {
  if (stderr === "ENOENT")
    return {
      code: "no-ipmitool",
      message: "this machine does not have the ipmitool program",
      hint: "Install the ipmitool package on the machine that runs furrow",
    };
  // With some controllers, ipmitool prints these lines every time, and continues.
  const lines = `${stderr}\n${stdout}`
    .split("\n")
    .filter((line) => line.trim() !== "" && !/IANA PEN registry|Get Channel Cipher Suites/.test(line));
  return {
    code: "no-answer",
    message: `cannot find out from ${address} whether its machine is on: ${lines.join("; ") || "ipmitool gave no reason"}`,
    hint: "Check the address, the user and the password, and that IPMI over LAN is enabled for this user",
  };
}
