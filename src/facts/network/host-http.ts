import { decodeBytes } from "../../core/host/bytes.ts";
import { FurrowError } from "../../core/errors.ts";
import type { HostFact } from "../../core/facts/fact.ts";
import { ask, defineKind, type NumberedQuestion } from "../../core/facts/kind.ts";
import { isLoopback } from "../../core/inventory/loopback.ts";
import { shellQuote } from "../../core/host/step.ts";
import type { HttpAnswer, HttpQuestion } from "./http-answer.ts";

/** A web request from a host. It follows no redirects and sends no additional headers. */
export type HostHttpQuestion = Pick<HttpQuestion, "url" | "timeoutSeconds" | "insecure" | "caCert" | "partial">;

/** The maximum number of bytes of headers and body that are kept. */
const limit = 81_920;

/** Sends a request to a web server from a host, with the host's curl. */
export function hostHttp({ url, timeoutSeconds, insecure, caCert, partial }: HostHttpQuestion): HostFact<HttpAnswer> {
  const key = {
    url,
    timeoutSeconds,
    ...(insecure === true && { insecure }),
    ...(caCert !== undefined && { caCert }),
    ...(partial === true && { partial }),
  };
  return ask(hostHttpKind, JSON.stringify(key));
}

/**
 * The responses of web servers to requests from a host. The `code` of an error is curl's exit code, as in `curl 7`, or
 * `no-curl`. Every request may get a different response, so no guard checks it.
 */
export const hostHttpKind = defineKind<HttpAnswer>({
  name: "hostHttp",
  summary: "A web server's response to a request from the host",
  facets: {},
  neverAhead: true,
  deadlineSeconds: 310,
  read: (questions) => questions.map(askOne).join("\n"),
  parse({ answer, tool }, { key }) {
    if (tool === "none") return { error: { code: "no-curl", message: "curl is not installed on the host" } };
    if (answer === undefined) throw new FurrowError("E_FACT", { what: `the response could not be read: ${key}` });
    const { partial } = JSON.parse(key) as HostHttpQuestion;
    return parseAnswer(Buffer.from(answer, "base64"), partial === true);
  },
});

function askOne({ number, key }: NumberedQuestion): string {
  const { url, timeoutSeconds, insecure, caCert, partial } = JSON.parse(key) as HostHttpQuestion;
  const trust = insecure === true ? " -k" : caCert === undefined ? "" : " --cacert /dev/stdin";
  const source = caCert === undefined ? "" : `printf %s ${shellQuote(caCert)} | `;
  // With unbuffered output, the received part of a response precedes curl's message that the response is incomplete.
  const flow = partial === true ? " -N" : "";
  const options = `-sSi${flow} --globoff --proto =http,https --max-time ${timeoutSeconds}${trust} -A furrow${isLoopback(url) ? " --noproxy '*'" : ""}`;
  return `if command -v curl >/dev/null; then
echo "${number} answer=$({ ${source}curl ${options} ${shellQuote(url)}; echo "exit:$?"; } 2>&1 | head -c ${limit} | base64 | tr -d '\\n')"
else echo "${number} tool=none"; fi`;
}

/** curl's exit code when the time limit --max-time is reached (curl(1), EXIT CODES). */
const timedOut = 28;

function parseAnswer(printed: Buffer, partial: boolean): HttpAnswer {
  const end = /exit:(\d+)\n$/.exec(printed.subarray(-10).toString("latin1"));
  // If curl's exit code is missing, the output exceeded the limit, and curl was stopped at that point.
  const exit = Number(end?.[1] ?? 0);
  const all = end === null ? printed : printed.subarray(0, printed.length - end[0].length);
  const { head, body: shown } = splitHead(all);
  const isCut = partial && exit === timedOut;
  // The message from curl follows the body.
  const body = isCut ? shown.subarray(0, Math.max(0, shown.lastIndexOf("curl: ("))) : shown;
  const [first = "", ...lines] = head.split(/\r?\n/);
  const status = /^HTTP\/[\d.]+ (\d{3})/.exec(first)?.[1];
  if (status === undefined || (exit !== 0 && !isCut)) {
    const said = shown.toString("utf8").trim().split("\n").at(-1) ?? "";
    const message = said.replace(/^curl: \(\d+\) /, "") || `curl exited with code ${exit} and printed no message`;
    return { error: { code: `curl ${exit}`, message } };
  }
  const headers = lines.map((line) => {
    const at = line.indexOf(":");
    return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()];
  });
  const kept = decodeBytes(body.subarray(0, 65_536));
  return { status: Number(status), body: kept, headers: Object.fromEntries(headers) as Record<string, string> };
}

/** Skips interim responses (1xx) and a proxy's response to CONNECT, which precede the final response. */
function splitHead(printed: Buffer): { readonly head: string; readonly body: Buffer } {
  let body = printed;
  for (;;) {
    const text = body.toString("latin1");
    // A line may end with a single LF; curl accepts that (RFC 9112, 2.2).
    const end = /\r?\n\r?\n/.exec(text);
    if (end === null || body.subarray(0, 5).toString("latin1") !== "HTTP/") return { head: "", body };
    const head = text.slice(0, end.index);
    body = body.subarray(end.index + end[0].length);
    if (!/^HTTP\/[\d.]+ (1\d\d|200 connection established)/i.test(head)) return { head, body };
  }
}
