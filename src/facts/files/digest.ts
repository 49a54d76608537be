import { byPathOverBoot } from "../../core/facts/boot.ts";
import { FurrowError } from "../../core/errors.ts";
import { exactly, type HostFact } from "../../core/facts/fact.ts";
import { ask, defineKind, type NumberedQuestion, printPart } from "../../core/facts/kind.ts";
import { shellQuote } from "../../core/host/step.ts";
import { type Absent, absent, isRecord, knownAfterApply } from "../../core/facts/symbols.ts";
import { stampReading, stampWords } from "../../core/host/stamp.ts";
import { impliedOfIndex, packageFactsNear, packageFactsOf } from "../packages/package-places.ts";
import { hiddenFunctions } from "./hidden-path.ts";
import { atPath } from "./path-resolution.ts";
import { sshFactsOf } from "../accounts/sshd-config.ts";
import { treesContaining } from "./trees-containing.ts";

/** The supported hash functions. */
export type Algorithm = "sha256" | "sha512";

/** The requested digests of a regular file's content, in hex. */
export interface Digest {
  readonly sha256?: string;
  readonly sha512?: string;
  /** False if the file had to be read for this answer. A want should not set this part. */
  readonly stamped?: boolean;
}

/**
 * Asks for the digest of a file that may be several gigabytes in size. The digest comes from the file's stamp if the
 * stamp is valid, otherwise from reading the file. This kind is separate from `file` because it may take minutes, and
 * because a stamp does not protect against someone who sets the clock back; `file` with `sha256` reads the content
 * every time. Absent if the path is not a regular file.
 */
export function digest(path: string, algorithm: Algorithm): HostFact<Absent | Digest> {
  return ask(digestKind, path, [algorithm]);
}

const unknown = knownAfterApply as never;
const afresh = "afresh";

/** Digests of large files, from the stamps that furrow's own steps write. */
export const digestKind = defineKind<Absent | Digest>({
  name: "digest",
  afterBoot: byPathOverBoot,
  summary: "The digest of a large file's content, which is not read again while its stamp is valid",
  facets: { sha256: "its SHA-256", sha512: "its SHA-512", [afresh]: "read now, ignoring the stamp" },
  volatile: ["stamped"],
  deadlineSeconds: 3600,
  distrust: (question) => ({ ...question, facets: [...question.facets, afresh].toSorted() }),
  read: (questions) => `${stampReading}\n${hiddenFunctions}\n${questions.map(readOne).join("\n")}`,
  parse(lines, { key }) {
    const { type, sha256, sha512, stamped } = lines;
    if (type === "none") return absent;
    if (type === undefined) throw new FurrowError("E_FACT", { what: `the digest of ${key} could not be read` });
    return {
      ...(sha256 !== undefined && { sha256 }),
      ...(sha512 !== undefined && { sha512 }),
      ...(stamped !== undefined && { stamped: stamped === "yes" }),
    };
  },
  print(value, { facets: asked }) {
    if (value === absent) return { type: "none" };
    const has = (part: keyof Digest): boolean => Object.hasOwn(value, part);
    return {
      ...(has("sha256") && asked.includes("sha256") && { sha256: printPart(value, "sha256", String) }),
      ...(has("sha512") && asked.includes("sha512") && { sha512: printPart(value, "sha512", String) }),
      ...(has("stamped") && { stamped: printPart(value, "stamped", (stamped) => (stamped === true ? "yes" : "no")) }),
      type: "file",
    };
  },
  predict: (_before, wanted) =>
    isRecord(wanted) ? { sha256: unknown, sha512: unknown, ...wanted, stamped: true } : absent,
  renamed: atPath,
  touches: (key, _from, to) => [
    ...treesContaining(exactly(key)),
    ...packageFactsOf(key, to === absent),
    ...sshFactsOf(key),
  ],
  implies: (key, _from, to) => impliedOfIndex(key, to !== absent),
  mayShowIn: packageFactsNear,
});

function readOne({ number, key, facets }: NumberedQuestion): string {
  const path = shellQuote(key);
  const failed = shellQuote(`${number} !${key} cannot be read`);
  const trusted = facets.includes(afresh) ? "false" : ":";
  const each = facets
    .filter((name) => name !== afresh)
    .map(
      (name) => `if h=$(stamped ${stampWords(key)} ${name}); then t=1; else t= y=no; fi
if [ -z "$t" ] || ! ${trusted}; then
h=$(${name}sum <${path} 2>/dev/null) || { echo ${failed}; exit 0; }; fi
echo "${number} ${name}=\${h%% *}"`,
    );
  return `(if [ -f ${path} ] && [ ! -L ${path} ]; then y=yes
${each.join("\n")}
printf '%s\\n' "${number} stamped=$y" "${number} type=file"; elif ! hidden ${number} ${path}; then echo "${number} type=none"; fi)`;
}
