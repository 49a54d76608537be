import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { FurrowError } from "../../core/errors.ts";
import type { MachinePower, PowerChange } from "../../facts/controller/machine-power.ts";

/** The requested change to a machine's power state. */
export const changeSchema = z.strictObject({
  to: z.enum(["on", "off", "cycled"]),
  force: z.boolean(),
  shutdownSeconds: z.number().positive(),
  deadlineSeconds: z.number().positive(),
});

/** A machine whose power state can be read and changed. */
export interface Switch {
  /** The machine in messages: `bmc-1.example.org`. */
  readonly name: string;
  read(): Promise<MachinePower>;
  /** Requests a change without waiting for it. Throws FurrowError if the controller does not accept it. */
  press(how: "on" | "shutdown" | "off"): Promise<void>;
  /** Milliseconds between two checks of the machine. */
  readonly pauseMs: number;
  readonly signal: AbortSignal;
  readonly say: (text: string) => void;
}

/**
 * Changes a machine's power state, and waits for the new state. The machine is asked to shut down first, and switched
 * off only with `force`. No further request is sent to a machine that is already in that state, or about to be.
 */
export async function bring(machine: Switch, change: PowerChange): Promise<void> {
  if (change.to !== "on") await bringOff(machine, change);
  if (change.to === "off") return;
  const { power } = await machine.read();
  if (power === "on") return;
  // A machine that is shutting down would ignore the power button.
  if (power === "powering off") await becomes(machine, "off", change.shutdownSeconds);
  if (power === "powering on" && (await becomes(machine, "on", change.deadlineSeconds))) return;
  await machine.press("on");
  if (await becomes(machine, "on", change.deadlineSeconds)) return;
  throw late(machine, "on", change.deadlineSeconds, "Look at the machine's own log and its power supplies");
}

async function bringOff(machine: Switch, { force, shutdownSeconds, deadlineSeconds }: PowerChange): Promise<void> {
  const { power } = await machine.read();
  if (power === "off") return;
  // A system that is still starting cannot be asked to shut down, but that does not justify cutting its power.
  if (power === "powering on") await becomes(machine, "on", deadlineSeconds);
  const asked = power === "powering off" || (await askedToShutDown(machine, force));
  if (asked && (await becomes(machine, "off", shutdownSeconds))) return;
  if (!force)
    throw late(
      machine,
      "off",
      shutdownSeconds,
      "Look at the machine's console: its system may be stuck or ignore the power button. Raise shutdownSeconds, or set force: true to cut its power",
    );
  machine.say(
    `${machine.name} ${asked ? `did not shut down in ${shutdownSeconds} s` : "cannot be asked to shut down"}, and is switched off`,
  );
  await machine.press("off");
  if (await becomes(machine, "off", deadlineSeconds)) return;
  throw late(machine, "off", deadlineSeconds, "Cut its power at the outlet, or repair its management controller");
}

/**
 * Asks a machine to shut down; false if the controller does not accept the request and `force` allows switching the
 * machine off.
 */
async function askedToShutDown(machine: Switch, force: boolean): Promise<boolean> {
  try {
    await machine.press("shutdown");
    return true;
  } catch (error) {
    if (!force) throw error;
    return false;
  }
}

/**
 * Waits for a state; false if it was not reached in time. A single missing answer is tolerated: the query is repeated.
 */
async function becomes(machine: Switch, wanted: "on" | "off", seconds: number): Promise<boolean> {
  const end = performance.now() + seconds * 1000;
  let shown = "";
  for (;;) {
    const { power, problem } = await machine.read();
    if (power === wanted) return true;
    const now = problem?.message ?? `${machine.name} is ${power}, not yet ${wanted}`;
    if (now !== shown) machine.say(now);
    shown = now;
    const left = end - performance.now();
    if (left <= 0) return false;
    await sleep(Math.min(machine.pauseMs, left), undefined, { signal: machine.signal });
  }
}

function late({ name }: Switch, wanted: string, seconds: number, hint: string): FurrowError {
  return new FurrowError("E_WAIT", { what: `${name} is not ${wanted} after ${seconds} s`, expected: wanted, hint });
}
