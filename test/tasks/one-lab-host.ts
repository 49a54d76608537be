import { labDown, labUp } from "../../src/lab/index.ts";
import { labTaskHost, type TaskEnd, type TaskHost } from "./on-host.ts";

/** A fresh lab host of this name for the tests of a task, and how to take it away again. */
export async function oneLabHost(name: string): Promise<TaskHost & { readonly down: () => Promise<void> }> {
  const lab = await labUp({ hosts: 1, name, replace: true });
  const [host] = lab.hosts;
  if (host === undefined) throw new Error("the lab has no host");
  return { ...(await labTaskHost(host)), down: () => labDown({ name }) };
}

/** The outcomes of tasks in order, with the error where one failed. */
export function outcomes(ends: readonly TaskEnd[]): string[] {
  return ends.map(({ outcome, error }) => (error ? `${outcome}: ${error.message}` : outcome));
}
