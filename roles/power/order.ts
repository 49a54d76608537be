import { absent, absolutePath, file, task, z } from "../../src/authoring.ts";

const params = z.strictObject({
  path: absolutePath().describe("Path of the recorded order on the host"),
  names: z
    .array(z.string())
    .min(1)
    .describe("The order to record if no order is recorded yet: the first node is switched off first"),
});

/**
 * Records the order in which nodes are shut down. An existing record is kept: a run that continues an interrupted one
 * must not record a different order.
 */
export const powerOffOrder = task({
  name: "powerOffOrder",
  summary: "Record, once, the order in which nodes are switched off",
  params,
  examples: [],
  title: () => "shutdown order",
})
  .facts((p) => ({ order: file(p.path, ["text"]) }))
  .want((p, { order }) => ({
    order: { type: "file", text: namesIn(order, p.names) === undefined ? linesOf(p.names) : (textOf(order) ?? "") },
  }))
  .steps((p, { change }) => [change.order && { step: "writeFile", path: p.path, text: linesOf(p.names), mode: "0644" }])
  .outputs((p, { order }) => namesIn(order, p.names) ?? p.names);

/** Reads the recorded order, or returns the usual order if none is recorded. */
export const recordedOrder = task({
  name: "recordedOrder",
  summary: "Read the order in which nodes were switched off",
  params,
  examples: [],
  title: () => "recorded order",
})
  .facts((p) => ({ order: file(p.path, ["text"]) }))
  .want(() => ({}))
  .steps(() => [])
  .outputs((p, { order }) => namesIn(order, p.names) ?? p.names);

type Found = typeof absent | { readonly text?: string };

function textOf(order: Found): string | undefined {
  return order === absent ? undefined : order.text;
}

/** Returns the recorded names; undefined if they are not the names of the current nodes. */
function namesIn(order: Found, names: readonly string[]): readonly string[] | undefined {
  const found = (textOf(order) ?? "").split("\n").filter((line) => line !== "");
  return found.toSorted().join() === names.toSorted().join() ? found : undefined;
}

function linesOf(names: readonly string[]): string {
  return names.map((name) => `${name}\n`).join("");
}
