import { describe, expect, test } from "vitest";
import { file } from "../../src/facts/catalogue.ts";
import { kindOf } from "../../src/core/facts/kind.ts";
import { readKind } from "../../src/testing/read-kind.ts";
import { keyFilesKind } from "../../tasks/authorized-key/key-files.ts";
import { moduleRulesKind } from "../../tasks/kernel-module/module-rules.ts";
import { moduleStateKind } from "../../tasks/kernel-module/module-state.ts";

/** For each kind whose facts are read in batches: an object on this machine, and keys that programs cannot handle. */
const rows: readonly { readonly kind: string; readonly good: string; readonly bad: readonly string[] }[] = [
  { kind: "package", good: "dpkg", bad: ["No Such", "-x", "a*", "dpkg:nosucharch", "_", "Ü", "a".repeat(300)] },
  { kind: "user", good: "root", bad: ["no user", "-x", "a:b", "*", "0", "", "Ü", "a".repeat(300)] },
  { kind: "group", good: "root", bad: ["no group", "-x", "a:b", "*", "0", "", "Ü", "a".repeat(300)] },
  { kind: "userUse", good: "daemon", bad: ["no user", "-x", "a:b", "*", "0", "", "Ü", "a".repeat(300)] },
  { kind: keyFilesKind.name, good: "root", bad: ["no user", "-x", "a,b", "*", "", "Ü", "a".repeat(300)] },
  { kind: "accountNumber", good: "user:0", bad: ["user:-1", "user:99999999999999999999", "group:x", "user:1 2"] },
  { kind: "crontab", good: "root", bad: ["no user", "-x", "../../etc/passwd", "*", "a".repeat(300)] },
  {
    kind: "sysctl",
    good: "kernel/ostype",
    bad: ["no/such", "../../etc", "net/ipv4/route/flush", "kernel", "a b", "-x"],
  },
  { kind: "laterSysctl", good: "kernel/ostype", bad: ["no/such", "a b", "-x", "kernel"] },
  { kind: moduleStateKind.name, good: "loop", bad: ["no module", "-x", "../../etc", "*", "a'b", "a".repeat(300)] },
  { kind: moduleRulesKind.name, good: "loop", bad: ["no module", "-x", "../../etc", "*", "a'b", "a".repeat(300)] },
  { kind: "access", good: "/etc", bad: ["/no where/x", "/etc/passwd/x", `/${"a".repeat(300)}`, "/*", "/-x"] },
  { kind: "mountUse", good: "/no mount", bad: ["/no where", "/etc/passwd/x", `/${"a".repeat(300)}`, "/*", "/-x"] },
  { kind: "mount", good: "/proc", bad: ["/no where", "/etc/passwd/x", `/${"a".repeat(300)}`, "/*", "/-x"] },
  {
    kind: file("/").kind,
    good: "/etc/passwd",
    bad: ["/no where", "/etc/passwd/x", `/${"a".repeat(300)}`, "/*", "/proc/1/mem"],
  },
  { kind: "entries", good: "/etc", bad: ["/no where", "/etc/passwd", `/${"a".repeat(300)}`, "/*", "/proc/1/fd/none"] },
  { kind: "removal", good: "/etc/passwd", bad: ["/no where", "/etc/passwd/x", `/${"a".repeat(300)}`, "/*"] },
  { kind: "tree", good: "/etc/apt", bad: ["/no where", "/etc/passwd/x", `/${"a".repeat(300)}`, "/*"] },
  { kind: "program", good: "sh", bad: ["no program", "-x", "/etc/passwd", "*", "a".repeat(300)] },
  { kind: "block-device", good: "/dev/null", bad: ["/no where", "UUID=none", "LABEL=a b", "/etc", "-x", "/dev/*"] },
  { kind: "digest", good: "sha256:/etc/passwd", bad: ["sha256:/no where", "sha256:/etc", "sha256:/etc/passwd/x"] },
];

const shells = [
  ["sh", "-c"],
  ["bash", "-c"],
  ["busybox", "sh", "-c"],
] as const;

describe("a bad key in a batch fails only its own task", () => {
  test.each(rows.flatMap((row) => shells.map((shell) => ({ ...row, in: shell.join(" "), shell }))))(
    "$kind in $in",
    async ({ kind, good, bad, shell }) => {
      const question = (key: string) => ({ kind, key, facets: kind === "file" ? ["sha256"] : [] });
      expect(kindOf(kind).name).toBe(kind);
      const [alone] = await readKind([question(good)], { shell });
      expect([alone?.unreadable, Object.keys(alone?.lines ?? {}).length > 0]).toEqual([undefined, true]);
      for (const keys of [
        [...bad, good],
        [good, ...bad],
      ]) {
        const answers = await readKind(keys.map(question), { shell });
        const beside = answers[keys.indexOf(good)];
        expect([beside?.unreadable, beside?.lines]).toEqual([undefined, alone?.lines]);
      }
    },
  );
});
