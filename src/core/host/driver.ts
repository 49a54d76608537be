import type { FactPattern, Json } from "../facts/fact.ts";

/** Answers one type of controller fact and performs calls of that type. The command line registers the drivers. */
export interface Driver {
  readonly name: string;
  /** Answers a fact's request; throws FurrowError E_DRIVER or E_FACT. */
  read(request: Json, signal: AbortSignal): Promise<unknown>;
  /**
   * For a driver that only reads from the controller: patterns of the facts that would affect the answer if the host is
   * the controller itself. Such a request may be read before its task's turn, unless an earlier task changes one of
   * these facts. Default: never.
   */
  ahead?(request: Json): readonly FactPattern[];
  /**
   * Performs a call step's request; its result becomes the step's value. While the call waits, it reports what it waits
   * for with `say`, one sentence each time.
   */
  call?(request: Json, signal: AbortSignal, say?: (text: string) => void): Promise<unknown>;
}

/** Finds a driver by name; throws FurrowError E_DRIVER if the name is unknown. */
export type DriverLookup = (name: string) => Promise<Driver>;
