import { refuse, type Refusal, z } from "../../src/authoring.ts";
import { counted } from "../cluster/count.ts";
import { hintFor } from "../cluster-answers/answers.ts";
import { type NotSeen, notSeenTexts } from "../cluster-answers/not-seen.ts";

/** The severities of findings, the worst first. A hint is worth knowing, but is not a problem. */
export const severities = ["critical", "warning", "hint"] as const;

/** The severity of a finding. */
export type Severity = (typeof severities)[number];

/** Something that a doctor has found. */
export interface Finding {
  readonly severity: Severity;
  readonly what: string;
  /** Where to look next: a command, or a page. */
  readonly next: string;
}

/** The vars of a doctor. */
export const doctorSchema = z.strictObject({
  kubeconfig: z.string().min(1).describe("The cluster's kubeconfig on the controller; read permission is enough"),
  failOn: z
    .enum(["critical", "warning", "never"])
    .default("warning")
    .describe("What makes the run fail: only critical findings, warnings too (default), or nothing"),
});

/** The maximum number of names in one sentence, because nobody reads a longer list. */
const mostNames = 5;

/** Lists names in a sentence, but only as many as people will read. */
export function few(names: readonly string[]): string {
  const sorted = names.toSorted();
  const rest = sorted.length - mostNames;
  return rest > 1 ? `${sorted.slice(0, mostNames).join(", ")} and ${rest} more` : sorted.join(", ");
}

/** A complete kubectl command for Longhorn's namespace. The backquotes keep it in one piece on a narrow terminal. */
export function inLonghorn(command: string): string {
  return `\`kubectl -n longhorn-system ${command}\``;
}

/** A complete kubectl command for an object that is given as `NAMESPACE/NAME`. */
export function kubectl(command: string, path: string): string {
  const [namespace, name] = path.split("/");
  return `\`kubectl -n ${namespace} ${command} ${name}\``;
}

/** Findings as lines, the worst first, each with a hint about where to look next. */
export function findingTexts(findings: readonly Finding[]): string[] {
  return severities.flatMap((severity) =>
    findings
      .filter((one) => one.severity === severity)
      .flatMap(({ what, next }) => [`${severity}: ${what}`, `  next: ${next}`]),
  );
}

/** A doctor's output: what it found, then what it could not read. */
export function doctorNotes(findings: readonly Finding[], unseen: readonly NotSeen[], fine: string): string[] {
  const isFine = unseen.length === 0 && findings.every(({ severity }) => severity === "hint");
  return [...(isFine ? [fine] : []), ...findingTexts(findings), ...notSeenTexts(unseen)];
}

/**
 * Refuses if there are problems, so that the exit code reflects them. Data that cannot be read is a problem too,
 * because it may not be healthy.
 */
export function verdict(
  findings: readonly Finding[],
  unseen: readonly NotSeen[],
  failOn: z.output<typeof doctorSchema>["failOn"],
): Refusal | object {
  if (failOn === "never") return {};
  const counts = severities
    .filter((severity) => severity === "critical" || severity === failOn)
    .map((severity) => ({ severity, count: findings.filter((one) => one.severity === severity).length }))
    .filter(({ count }) => count > 0);
  if (counts.length === 0 && unseen.length === 0) return {};
  const words = counts.map(({ severity, count }) =>
    severity === "critical" ? `${count} critical` : counted(count, severity),
  );
  return refuse({
    code: counts.length > 0 ? "problems" : "cluster-not-seen",
    message: [...(words.length > 0 ? [words.join(", ")] : []), ...notSeenTexts(unseen)].join("; "),
    hint:
      counts.length > 0
        ? "Begin with the first line of the findings above"
        : hintFor(unseen[0]?.code ?? "", unseen[0]?.list),
  });
}
