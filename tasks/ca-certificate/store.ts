import type { HostFact } from "../../src/authoring.ts";
import { ask, defineKind, FurrowError, type NumberedQuestion, numbered } from "../../src/facts/index.ts";

/** How a distribution stores the certificates that its programs trust. */
export type Layout = "debian" | "suse" | "redhat";

/** The host's own store of trusted certificates. */
export interface CaStore {
  readonly layout: Layout | "none";
  /** True if the bundle is older than the last change to the folder of certificates, so that it must be built again. */
  readonly outdated: boolean;
}

/** Where a distribution stores certificates. */
interface Place {
  /** The folder for the administrator's own certificates. */
  readonly anchors: string;
  /** The file name extension that a certificate's file must have. */
  readonly ending: string;
  /** The file with all trusted certificates, generated from the folder. */
  readonly bundle: string;
  /** The program that generates the bundle. */
  readonly program: readonly [string, ...string[]];
}

/**
 * The places, by layout. `--fresh` rebuilds everything. Without it, Debian's program would link a certificate by its
 * hash only if the file name is new, and SUSE's hooks could skip a bundle that is newer than the certificates
 * (update-ca-certificates(8)). Red Hat's program: update-ca-trust(8).
 */
export const places: Readonly<Record<Layout, Place>> = {
  debian: {
    anchors: "/usr/local/share/ca-certificates",
    ending: ".crt",
    bundle: "/etc/ssl/certs/ca-certificates.crt",
    program: ["update-ca-certificates", "--fresh"],
  },
  suse: {
    anchors: "/etc/pki/trust/anchors",
    ending: ".pem",
    bundle: "/var/lib/ca-certificates/ca-bundle.pem",
    program: ["update-ca-certificates", "--fresh"],
  },
  redhat: {
    anchors: "/etc/pki/ca-trust/source/anchors",
    ending: ".pem",
    bundle: "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    program: ["update-ca-trust", "extract"],
  },
};

/** Finds out which store the host has. */
export function caStore(): HostFact<CaStore> {
  return ask(caStoreKind, "host");
}

/** Finds out whether the host's bundle contains a certificate. */
export function caTrust({
  fingerprint,
  pem,
}: {
  readonly fingerprint: string;
  readonly pem: string;
}): HostFact<CaTrust> {
  return ask(caTrustKind, `${fingerprint} ${bodyOf(pem).slice(-tailLength)}`);
}

/** Whether the host's programs trust a certificate. */
export interface CaTrust {
  readonly trusted: boolean;
}

const tailLength = 24;

function bodyOf(pem: string): string {
  return pem.replaceAll(/-----[^-]*-----|\s/g, "");
}

/** The shell function that finds the store: `L` is its layout, `A` the folder, `B` the bundle. */
const storeFunction = (root: string): string => `caStore() {
L=none A= B= PATH=$PATH:/usr/sbin:/sbin
if [ -d ${root}${places.redhat.anchors} ] && command -v update-ca-trust >/dev/null; then
L=redhat A=${root}${places.redhat.anchors} B=${root}${places.redhat.bundle}
elif command -v update-ca-certificates >/dev/null; then
if [ -d ${root}${places.suse.anchors} ]; then L=suse A=${root}${places.suse.anchors} B=${root}${places.suse.bundle}
else L=debian A=${root}${places.debian.anchors} B=${root}${places.debian.bundle}; fi
fi
}`;

/** The store. Only the dates reveal that a certificate was removed: the folder is then newer than the bundle. */
export const caStoreKind = defineKind<CaStore>({
  name: "caStore",
  summary: "How the host stores trusted certificates, and whether their bundle is up to date",
  facets: {},
  afterBoot: (_key, value) => value,
  functions: storeFunction(""),
  read: (questions) => storeScript(questions),
  parse({ layout, outdated }) {
    if (layout === undefined)
      throw new FurrowError("E_FACT", { what: "the host did not report how it stores certificates" });
    return { layout: layout as CaStore["layout"], outdated: outdated === "yes" };
  },
  print: ({ layout, outdated }) => ({ layout, outdated: outdated ? "yes" : "no" }),
});

/** Finds certificates in the bundle, first by the end of their signatures, then by their fingerprints. */
export const caTrustKind = defineKind<CaTrust>({
  name: "caTrust",
  summary: "Whether the host's bundle of trusted certificates contains a certificate",
  facets: {},
  afterBoot: (_key, value) => value,
  functions: storeFunction(""),
  read: (questions) => trustScript(questions),
  parse({ trusted }, { key }) {
    if (trusted === undefined)
      throw new FurrowError("E_FACT", { what: `could not find out whether the host trusts the certificate ${key}` });
    return { trusted: trusted === "yes" };
  },
  print: ({ trusted }) => ({ trusted: trusted ? "yes" : "no" }),
});

/** The script that reads the kind `caStore`. */
export function storeScript(questions: readonly NumberedQuestion[]): string {
  const numbers = questions.map(({ number }) => number).join(" ");
  return `caStore
o=no
if [ $L != none ] && { [ ! -e "$B" ] || [ "$A" -nt "$B" ]; }; then o=yes; fi
for n in ${numbers}; do printf '%s\\n' "$n layout=$L" "$n outdated=$o"; done`;
}

/**
 * The script that reads the kind `caTrust`. It reads the bundle once per certificate, because a run asks about only a
 * few.
 */
export function trustScript(questions: readonly NumberedQuestion[]): string {
  return `caStore
for x in ${numbered(questions)}; do
n=\${x%%:*} x=\${x#*:} t=no
if [ -n "$B" ] && [ -e "$B" ]; then
if ! c=$(awk -v tail="\${x#* }" '/^-----BEGIN/ { body = ""; on = 1; next }
/^-----END/ { if (on && substr(body, length(body) - length(tail) + 1) == tail) print body; on = 0; next }
on { gsub(/[ \\t\\r]/, ""); body = body $0 }' "$B"); then echo "$n !$B cannot be read"; continue; fi
for d in $c; do
h=$(printf %s "$d" | base64 -d 2>/dev/null | sha256sum)
[ "\${h%% *}" != "\${x%% *}" ] || t=yes
done
fi
echo "$n trusted=$t"
done`;
}

/** Returns the complete script for a kind, for a host with a different root directory. Only tests use it. */
export function scriptBelow(root: string, script: string): string {
  return `${storeFunction(root)}\n${script}`;
}
