import { notFound } from "./refusal.ts";

/** A response: the status, and the body if there is one. */
export type Answer = readonly [status: number, body?: object];

/** The settings of the fake that the routes need. */
export interface Settings {
  addressOf: (number: number) => string;
  /** True if the response to this call, `METHOD path`, is lost. */
  lost: (call: string) => boolean;
}

/** The item with this id in a list. Throws a 404 if it does not exist. */
export function one<T extends { readonly id: number | string }>(list: readonly T[], id: string): T {
  const found = list.find((thing) => String(thing.id) === id);
  if (found === undefined) throw notFound();
  return found;
}
