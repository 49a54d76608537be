import type { HostFact } from "../../src/authoring.ts";
import { ask, defineKind, FurrowError } from "../../src/facts/index.ts";

/** chronyd's report about the clock. */
export interface Tracking {
  /** Whether chronyd follows a source. */
  readonly synchronized: boolean;
  /** The name or address of the source; empty if chronyd follows no source. */
  readonly source: string;
  /** Seconds by which the clock differs from the source. */
  readonly offset: number;
  /** The reason why chronyd reports no source; empty if it follows one, or is still looking for one. */
  readonly problem: string;
}

/** The reference ID of the host's own clock, which `chronyc waitsync` does not accept either (chrony's client.c). */
const ownClock = "7F7F0101";

/** Asks chronyd whether the clock is synchronized. */
export function tracking(): HostFact<Tracking> {
  return ask(trackingKind, "host");
}

/** The report of `chronyc -c tracking` (chronyc(1)), with the same fields as the long form, in the same order. */
export const trackingKind = defineKind<Tracking>({
  name: "chronyTracking",
  summary: "Whether chronyd follows a source, and how far the clock is off",
  facets: {},
  volatile: ["line", "problem"],
  read: (questions) => `l=$(chronyc -n -c tracking 2>&1) && k=line || k=problem
l=$(printf '%s' "$l" | tr '\\n' ' ')
${questions.map(({ number }) => `printf '%s\\n' "${number} $k=$l"`).join("\n")}`,
  parse({ line, problem }) {
    if (problem !== undefined)
      return { synchronized: false, source: "", offset: 0, problem: problem.trim() || "no answer" };
    const fields = line?.trim().split(",") ?? [];
    if (fields.length !== 14)
      throw new FurrowError("E_FACT", { what: "the output of chronyc tracking cannot be parsed", current: line ?? "" });
    const [reference = "", source = "", stratum = "", , offset = ""] = fields;
    if (reference === ownClock) {
      const why = "it follows this host's own clock, because of its directive `local`";
      return { synchronized: false, source: "", offset: 0, problem: why };
    }
    const isSynchronized = fields[13] !== "Not synchronised" && Number(stratum) > 0;
    return { synchronized: isSynchronized, source: isSynchronized ? source : "", offset: Number(offset), problem: "" };
  },
});
