import type { Command } from "../words/command.ts";
import type { CommandName } from "../words/flags.ts";

/** Loaders of the commands, by name; each command is loaded only when it is needed. */
const loaders: Readonly<Record<CommandName, () => Promise<{ readonly command: unknown }>>> = {
  run: () => import("./run.ts"),
  check: () => import("./check.ts"),
  list: () => import("./list.ts"),
  validate: () => import("./validate.ts"),
  inventory: () => import("./inventory.ts"),
  facts: () => import("./facts.ts"),
  exec: () => import("./exec.ts"),
  ping: () => import("./ping.ts"),
  doctor: () => import("./doctor.ts"),
  doc: () => import("./doc.ts"),
  lab: () => import("./lab.ts"),
};

/** Loads a command. */
export async function loadCommand(name: CommandName): Promise<Command> {
  const { command } = await loaders[name]();
  return command as Command;
}
