import { FurrowError } from "../../../src/core/errors.ts";
import type { HostFact } from "../../../src/core/facts/fact.ts";
import { ask, defineKind } from "../../../src/core/facts/kind.ts";
import { isRecord } from "../../../src/core/facts/symbols.ts";

/** How long the host has been up. */
export interface ExampleKind {
  /** Whole days. */
  readonly days: number;
}

/** Asks how long the host has been up. */
export function exampleKind(): HostFact<ExampleKind> {
  return ask(exampleKindKind, "host");
}

/** Reads `/proc/uptime` (proc(5)). */
export const exampleKindKind = defineKind<ExampleKind>({
  name: "exampleKind",
  summary: "How long the host has been up, in days",
  facets: {},
  volatile: ["days"],
  read: (questions) =>
    questions
      .map(({ number }) => `read up rest </proc/uptime && printf '%s days=%s\\n' ${number} $((\${up%.*} / 86400))`)
      .join("\n"),
  parse({ days }) {
    if (days === undefined)
      throw new FurrowError("E_FACT", { what: "could not find out how long the host has been up" });
    return { days: Number(days) };
  },
  print: ({ days }) => ({ days: String(days) }),
  predict: (_before, wanted) => ({ days: isRecord(wanted) ? Number(wanted["days"]) : 0 }),
});
