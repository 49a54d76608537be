import type { NumberedQuestion } from "../../core/facts/kind.ts";
import { currentSealKey } from "../../core/secrets/secret.ts";
import { stampPath } from "../../core/host/stamp.ts";
import { shellQuote } from "../../core/host/step.ts";
import { file } from "./on-host/sent/file.ts";

/** The number of questions for each `stat` call; even the longest paths fit on one command line. */
const batch = 400;

/**
 * The script of the file kind. It runs one `stat` for all paths, and one `sha256sum` for those whose content is needed.
 */
export function fileScript(questions: readonly NumberedQuestion[]): string {
  const open = questions.filter(({ secret }) => secret !== true);
  const secret = questions.filter((question) => question.secret === true);
  const sealed = secret.filter(({ facets }) => contentFacets.some((facet) => facets.includes(facet)));
  const batches = Array.from({ length: Math.ceil(questions.length / batch) }, (_, at) =>
    questions.slice(at * batch, (at + 1) * batch),
  );
  return [
    ...batches.map((list) => `look ${shellQuote(list.map(code).join(" "))} ${quotedPaths(list)} ${stampsOf(list)}`),
    ...sealed.map(({ number, key }) => sealScript(number, key)),
    ...open.filter(({ facets }) => facets.includes("text")).map(({ number, key }) => textScript(number, key, "text")),
    ...sealed
      .filter(({ facets }) => facets.includes("hidden"))
      .map(({ number, key }) => textScript(number, key, "hidden")),
  ].join("\n");
}

const contentFacets = ["text", "sha256", "stamped", "hidden"] as const;

/** The code for a question about one path: the question's number, and a letter for each facet. */
function code(question: NumberedQuestion): string {
  const { number, facets, secret } = question;
  const has = (facet: string): boolean => secret !== true && facets.includes(facet);
  const hash = has("sha256") ? "h" : has("stamped") ? "t" : "";
  return `${number}${facets.includes("changed") ? "c" : ""}${hash}${has("size") ? "s" : ""}`;
}

function quotedPaths(questions: readonly NumberedQuestion[]): string {
  return shellQuote(questions.map(({ key }) => key).join("\n"));
}

function stampsOf(questions: readonly NumberedQuestion[]): string {
  const stamps = questions.filter((question) => code(question).includes("t")).map(({ key }) => stampPath(key));
  return stamps.length === 0 ? "''" : shellQuote(stamps.join(" "));
}

const denied = "its content cannot be read";

/** The shell functions `look CODES PATHS STAMPS` and `b64` (on-host/file.sh). */
export const fileFunctions: string = file;

function sealScript(number: number, path: string): string {
  const quoted = shellQuote(path);
  return `[ -f ${quoted} ] && [ ! -L ${quoted} ] && { [ -r ${quoted} ] || ${unreadable(number)}; h=$({ printf %s ${currentSealKey()}; cat -- ${quoted}; } | sha256sum) && echo "${number} seal=\${h%% *}"; }`;
}

function textScript(number: number, path: string, line: string): string {
  const quoted = shellQuote(path);
  return `[ -f ${quoted} ] && [ ! -L ${quoted} ] && { [ -r ${quoted} ] || ${unreadable(number)}; printf '${number} ${line}='; b64 <${quoted}; echo; }`;
}

function unreadable(number: number): string {
  return `echo '${number} !${denied}'`;
}
