import type { Extras } from "./arguments.ts";
import type { Flags } from "./flags.ts";

/** The values of a command's flags and positionals, by name. A `required` positional always has a value. */
export type ArgumentsOf<F extends Flags> = {
  readonly [K in keyof F]: F[K] extends { readonly type: "boolean" }
    ? boolean | undefined
    : F[K] extends { readonly required: true }
      ? string
      : string | undefined;
};

/** A furrow command. */
export interface Command<F extends Flags = Flags> {
  readonly args: F;
  /** Runs the command and returns the exit code. */
  run(given: { readonly args: ArgumentsOf<F>; readonly data: Extras }): number | Promise<number>;
}

/** Defines a command. The command's flags determine the types of its arguments. */
export function defineCommand<const F extends Flags>(command: Command<F>): Command<F> {
  return command;
}
