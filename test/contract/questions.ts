import { hostFacts } from "../../src/facts/catalogue.ts";
import type { Question } from "../../src/core/facts/fact.ts";
import { type Kind, scriptOf as wholeScript } from "../../src/core/facts/kind.ts";
import { recordedAnswers } from "./recorded.ts";

/** The questions and values in all cases of all tasks. */
export const recorded = await recordedAnswers();

/** Kinds whose keys are arbitrary names, not data that furrow generates. */
export const freeKeys = new Set([
  "access",
  "block-device",
  "digest",
  "diskImage",
  "disk-content",
  "disk-content-full",
  "entries",
  "file",
  "group",
  "mount",
  "program",
  "sysctl",
  "tree",
  "unit",
  "user",
]);
const wild = [
  "/tmp/with blank",
  "/tmp/it's",
  '/tmp/a"b',
  "/tmp/$(touch pwned)",
  "/tmp/`touch pwned`",
  "/tmp/a;touch pwned",
  "/tmp/*",
  "/tmp/a\\b",
  "/tmp/ü",
  "/tmp/%s",
  "/tmp/a:b",
  "/tmp/-n",
  "-n",
  "~",
  "/tmp/a\tb",
  "/tmp/&&",
  "/tmp/a|b",
  "/tmp/#",
];

/** Keys for kinds that no task case asks about. */
const otherKeys: Readonly<Record<string, readonly string[]>> = {
  bridgeVlans: ["host"],
  apparmorProfile: ["usr.sbin.dnsmasq", "usr.lib.libvirt.virt-aa-helper", "none.such"],
  chronyTracking: ["host"],
  discardMounts: ["host"],
  disks: ["all"],
  etcdSnapshot: ["furrow-shutdown-20260101-000000", "it's $(touch pwned)*"],
  fileTail: [JSON.stringify({ path: "/etc/passwd", lines: 3 }), JSON.stringify({ path: "/tmp/it's $(id)", lines: 3 })],
  host: [hostFacts().key],
  pathResolution: ["/", "/etc", "/var/run", "/tmp/it's $(id)", "/tmp/a\\nb", "/tmp/ü*"],
  removable: ["/tmp/it's $(id)", "/etc/apt", "nobody /etc/apt", "nobody /tmp/no where", "/-n"],
  selinuxLabel: ["/", "/etc", "/tmp/it's $(id)", "/tmp/no where"],
  rpmKey: ["9DC858229FC7DD38854AE2D88D81803C0EBFCD88"],
};

/**
 * Questions about a kind: those from the cases and, for free keys, questions about unusual keys. Each object occurs
 * once, as in the engine; a secret question is treated as a separate object.
 */
export function questionsOf(kind: Kind): Question[] {
  const own = recorded.flatMap(({ question }) => (question.kind === kind.name ? [question] : []));
  const facets = Object.keys(kind.facets).toSorted();
  const ask = (key: string, at: number): Question => ({ kind: kind.name, key, facets: facets.slice(0, at % 4) });
  const keys = [...(freeKeys.has(kind.name) ? wild : []), ...(otherKeys[kind.name] ?? [])];
  const secret = kind.name === "file" ? wild.map((key) => ({ ...ask(key, 0), facets: ["hidden"], secret: true })) : [];
  const all = [...keys.map(ask), ...secret, ...own];
  return [...new Map(all.map((question) => [`${question.key} ${question.secret === true}`, question])).values()];
}

/** The script that a kind generates for these questions. */
export function scriptOf(kind: Kind, questions = questionsOf(kind)): string {
  return wholeScript(
    kind,
    questions.map((question, number) => ({ ...question, number })),
  );
}
