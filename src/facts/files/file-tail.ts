import { byPathOverBoot } from "../../core/facts/boot.ts";
import { decodeBytes, encodeText } from "../../core/host/bytes.ts";
import type { HostFact } from "../../core/facts/fact.ts";
import { ask, defineKind } from "../../core/facts/kind.ts";
import { type Absent, absent } from "../../core/facts/symbols.ts";
import { shellQuote } from "../../core/host/step.ts";
import { hiddenFunctions } from "./hidden-path.ts";

/** The end of a file. */
export interface FileTail {
  /** The last lines of the file, at most 16 KiB, decoded by decodeBytes. */
  readonly text: string;
}

/** Asks for the last lines of a file that is written to continuously, such as a log or a console. */
export function fileTail(path: string, lines: number): HostFact<Absent | FileTail> {
  return ask(fileTailKind, JSON.stringify({ path, lines }));
}

/** The ends of files. No guard checks these facts, because they change all the time. */
export const fileTailKind = defineKind<Absent | FileTail>({
  name: "fileTail",
  afterBoot: byPathOverBoot,
  summary: "The last lines of a file",
  facets: {},
  neverAhead: true,
  functions: hiddenFunctions,
  volatile: ["text"],
  read: (questions) =>
    questions
      .map(({ number, key }) => {
        const { path, lines } = JSON.parse(key) as { path: string; lines: number };
        const quoted = shellQuote(path);
        return `if [ -f ${quoted} ] && ! shut ${number} ${quoted}; then
echo "${number} text=$(tail -n ${lines} -- ${quoted} | tail -c 16384 | base64 | tr -d '\\n')"
elif [ ! -f ${quoted} ] && ! hidden ${number} ${quoted}; then echo '${number} absent=yes'; fi`;
      })
      .join("\n"),
  renamed: (key, real) => {
    const { path, lines } = JSON.parse(key) as { path: string; lines: number };
    return JSON.stringify({ path: real(path, true), lines });
  },
  parse: ({ text }) => (text === undefined ? absent : { text: decodeBytes(Buffer.from(text, "base64")) }),
  print: (value) =>
    value === absent ? { absent: "yes" } : { text: Buffer.from(encodeText(value.text)).toString("base64") },
});
