import type { FactPattern, Json } from "./fact.ts";

/** Answers controller facts and performs controller calls of one sort; registered by the command line. */
export interface Driver {
  readonly name: string;
  /** Answers a fact's request; throws FurrowError E_DRIVER or E_FACT. */
  read(request: Json, signal: AbortSignal): Promise<unknown>;
  /**
   * Where it only looks at this machine: the facts of a host that, if it is this machine too, would show in the answer.
   * Such a request may be read before its task's turn, unless an earlier task changes one of these. Default: never.
   */
  ahead?(request: Json): readonly FactPattern[];
  /**
   * Performs a call step's request; its value becomes the step's. What it waits for meanwhile it tells with `say`, a
   * sentence each time.
   */
  call?(request: Json, signal: AbortSignal, say?: (text: string) => void): Promise<unknown>;
}

/** Finds a driver by name; throws FurrowError E_DRIVER where there is none. */
export type DriverLookup = (name: string) => Promise<Driver>;
