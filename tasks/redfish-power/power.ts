import { ran, refuse, type Refusal, seconds, z } from "../../src/authoring.ts";
import type { MachinePower, PowerChange } from "../../src/facts/catalogue.ts";

/** The params for a machine's power, for every protocol. */
export const powerParams = {
  state: z
    .enum(["on", "off", "cycled"], { error: '"on", "off" or "cycled"' })
    .describe(
      "`off`: the machine is asked to shut down; `cycled`: it is shut down and switched on again, in every run",
    ),
  force: z
    .boolean({ error: "true or false" })
    .default(false)
    .describe("Cut the power of a machine that does not shut down in time, or that does not support a clean shutdown"),
  shutdownSeconds: seconds().default(300).describe("Seconds to wait for the machine to shut down"),
  deadlineSeconds: seconds()
    .default(60)
    .describe("Seconds to wait until the machine is on, or off after its power was cut"),
};

const whole = z.strictObject(powerParams);
type Power = z.output<typeof whole>;

/** The power state that a driver must bring a machine into. */
export function changeOf({ state, force, shutdownSeconds, deadlineSeconds }: Power): PowerChange {
  return { to: state, force, shutdownSeconds, deadlineSeconds };
}

/** The time limit of the step; a driver finishes earlier. */
export function limitOf({ shutdownSeconds, deadlineSeconds }: Power): number {
  return shutdownSeconds + 2 * deadlineSeconds + 120;
}

/** The fact that shows whether a machine has been switched off and on in this run; none for a permanent state. */
export function cycleOf({ state }: Power, name: string): { readonly cycle?: ReturnType<typeof ran> } {
  return state === "cycled" ? { cycle: ran(`power cycle of ${name}`) } : {};
}

/**
 * The power state that a machine must be brought into, or why that is impossible. `shutdown` is the protocol's name for
 * a clean shutdown.
 */
export function powerWanted(
  { state, force }: Power,
  { power, ways, problem }: MachinePower,
  shutdown: string,
): Refusal | { readonly machine: { readonly power: "on" | "off" }; readonly cycle?: true } {
  if (problem !== undefined) return refuse(problem);
  if (state === "on") return { machine: { power: "on" } };
  if (power === "on" && !force && ways !== undefined && !ways.includes(shutdown))
    return refuse({
      code: "no-shutdown",
      message: "the machine does not support a clean shutdown: its power can only be cut",
      current: ways.join(", "),
      expected: shutdown,
      hint: "Shut its system down first, or set force: true to cut its power",
    });
  return state === "off" ? { machine: { power: "off" } } : { machine: { power: "on" }, cycle: true };
}
