import { byPathOverBoot } from "../../core/facts/boot.ts";
import { FurrowError } from "../../core/errors.ts";
import type { HostFact } from "../../core/facts/fact.ts";
import { ask, defineKind, type NumberedQuestion } from "../../core/facts/kind.ts";
import { currentSealKey } from "../../core/secrets/secret.ts";
import { shellQuote } from "../../core/host/step.ts";
import { type Absent, absent } from "../../core/facts/symbols.ts";
import { hiddenFunctions } from "./hidden-path.ts";

/** The hash of a program's output for a file, or the keyed hash for a secret file. */
export type Filtered = { readonly sha256: string } | { readonly seal: string };

/** Asks for the hash of the output of a program that filters a file and changes nothing. */
export function filtered(
  path: string,
  through: readonly string[],
  options: { readonly secret?: boolean } = {},
): HostFact<Absent | Filtered> {
  return ask(filteredKind, JSON.stringify({ path, through }), [], options.secret);
}

/** Hashes of the output of programs that filter files. The output itself stays on the host. */
export const filteredKind = defineKind<Absent | Filtered>({
  name: "filtered",
  afterBoot: byPathOverBoot,
  summary: "The SHA-256 of a program's output for a file",
  facets: {},
  // The engine cannot know whether an earlier task changes something that this program reads.
  neverAhead: true,
  functions: hiddenFunctions,
  read: (questions) => questions.map(askOne).join("\n"),
  renamed: (key, real) => {
    const { path, through } = JSON.parse(key) as { path: string; through: string[] };
    return JSON.stringify({ path: real(path, true), through });
  },
  parse({ sha256, seal, absent: gone }, { key }) {
    if (gone !== undefined) return absent;
    if (seal !== undefined) return { seal: `sealed:${seal}` };
    if (sha256 !== undefined) return { sha256 };
    throw new FurrowError("E_FACT", { what: `the hash of a program's output could not be read: ${key}` });
  },
  print(value): Readonly<Record<string, string>> {
    if (value === absent) return { absent: "yes" };
    return "seal" in value ? { seal: value.seal.slice("sealed:".length) } : { sha256: value.sha256 };
  },
});

function askOne({ number, key, secret }: NumberedQuestion): string {
  const { path, through } = JSON.parse(key) as { path: string; through: string[] };
  const quoted = shellQuote(path);
  // The program's messages may quote a secret file.
  const made = `${through.map(shellQuote).join(" ")} <${quoted}${secret === true ? " 2>/dev/null" : ""}`;
  const hashed = secret === true ? `{ printf %s ${currentSealKey()}; ${made}; }` : made;
  return `if [ -f ${quoted} ] && ! shut ${number} ${quoted}; then h=$(${hashed} | sha256sum) && echo "${number} ${secret === true ? "seal" : "sha256"}=\${h%% *}"
elif [ ! -f ${quoted} ] && ! hidden ${number} ${quoted}; then echo '${number} absent=yes'; fi`;
}
