import { staysOverBoot } from "../../core/facts/boot.ts";
import type { HostFact } from "../../core/facts/fact.ts";
import { ask, defineKind } from "../../core/facts/kind.ts";

/** Whether the RPM database trusts a key. */
export interface RpmKey {
  readonly imported: boolean;
}

/** Asks whether the RPM database trusts the key with this fingerprint (40 hex digits, upper case). */
export function rpmKey(fingerprint: string): HostFact<RpmKey> {
  return ask(rpmKeyKind, fingerprint);
}

/**
 * rpm stores each trusted key as a package named gpg-pubkey, whose version is the last part of the fingerprint (since
 * rpm 6, the whole fingerprint).
 */
export const rpmKeyKind = defineKind<RpmKey>({
  name: "rpmKey",
  afterBoot: staysOverBoot,
  summary: "Whether the RPM database trusts a signing key",
  facets: {},
  read: (questions) => `k=" $(rpm -qa --qf '%{VERSION} ' 'gpg-pubkey*' 2>/dev/null)"
for x in ${questions.map(({ number, key }) => `${number}:${key.toLowerCase().slice(-8)}`).join(" ")}; do
case $k in *"\${x#*:} "*) echo "\${x%%:*} imported=yes";; *) echo "\${x%%:*} imported=no";; esac
done`,
  parse: (lines) => ({ imported: lines["imported"] === "yes" }),
  print: (value) => ({ imported: value.imported ? "yes" : "no" }),
});
