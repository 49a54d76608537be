import { staysOverBoot } from "../../core/facts/boot.ts";
import { FurrowError } from "../../core/errors.ts";
import type { HostFact } from "../../core/facts/fact.ts";
import { ask, defineKind } from "../../core/facts/kind.ts";
import { type Absent, absent } from "../../core/facts/symbols.ts";
import { lookup } from "./account-script.ts";
import { numbered } from "../system/quote.ts";

/** The user or group that has a numeric id. */
export interface NumberHolder {
  readonly name: string;
}

/** Asks which user or group has a numeric id: `useradd` and `groupadd` refuse an id that is already in use. */
export function holderOf(database: "user" | "group", number: number): HostFact<Absent | NumberHolder> {
  return ask(accountNumberKind, `${database} ${number}`);
}

/** Numeric ids of accounts, from the name service if the host has `getent`. */
export const accountNumberKind = defineKind<Absent | NumberHolder>({
  name: "accountNumber",
  afterBoot: staysOverBoot,
  summary: "The user or group that has a UID or GID",
  facets: {},
  // getent(1) exits with code 2 if the database has no such key; any other nonzero exit code means that the lookup
  // failed.
  read: (questions) => `${lookup}for x in ${numbered(questions)}; do
n=\${x%%:*} k=\${x#*:}
case $k in user*) d=passwd;; *) d=group;; esac
e=$(getent $d "\${k#* }" 2>/dev/null); c=$?
case $c,$e in
0,?*) echo "$n name=\${e%%:*}";;
0,|2,) echo "$n absent=yes";;
*) echo "$n !getent $d exited with code $c";;
esac
done`,
  parse(lines, { key }) {
    if (lines["name"] !== undefined) return { name: lines["name"] };
    if (lines["absent"] === "yes") return absent;
    throw new FurrowError("E_FACT", { what: `${key} could not be read` });
  },
  print: (value) => (value === absent ? { absent: "yes" } : { name: value.name }),
});
