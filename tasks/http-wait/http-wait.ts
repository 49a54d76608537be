import { hostHttp, httpAnswer, type HttpAnswer, refuse, type Refusal, seconds, task, z } from "../../src/authoring.ts";
import { withoutUrlSecrets } from "../../src/facts/catalogue.ts";
import { pattern } from "../file-line/edited-file.ts";
import { likelyCause } from "./likely-cause.ts";

const status = z
  .int({ error: "a status, like 200" })
  .min(100, "a status from 100 to 599")
  .max(599, "a status from 100 to 599");

const params = z.strictObject({
  url: z
    .url({ protocol: /^https?$/, error: 'an http or https URL, like "https://10.0.0.1/ping"' })
    .describe("URL to request; redirects are not followed"),
  from: z
    .enum(["controller", "host"], { error: '"controller" or "host"' })
    .default("controller")
    .describe("Where the request is sent from: the controller, or the host (with curl)"),
  status: z
    .union([status, z.array(status).min(1, "at least one status")], { error: "a status, like 200, or a list of them" })
    .default(200)
    .describe("Status to wait for, or a list of accepted ones"),
  body: z
    .union(
      [
        z.string(),
        z.strictObject({ contains: z.string().min(1, "a text").describe("Text that the body must contain") }),
        z.strictObject({ matches: pattern().describe("Regular expression that must match the body") }),
      ],
      { error: 'the whole body, { contains: "…" } or { matches: "…" }' },
    )
    .optional()
    .describe(
      "Expected body: the whole text (ignoring a final line break), a part or a pattern; only the first 64 KiB are read",
    ),
  times: z
    .int("a number")
    .min(1, "at least once")
    .max(1000, "at most 1000 times")
    .default(1)
    .describe("Number of consecutive correct answers required"),
  intervalSeconds: seconds().default(2).describe("Seconds between two requests"),
  deadlineSeconds: seconds().default(300).describe("Seconds after which the wait fails"),
  timeoutSeconds: seconds()
    .refine((value) => value <= 300, "at most 300 seconds")
    .default(10)
    .describe("Seconds to wait for each answer"),
  insecure: z.boolean().default(false).describe("Accept any certificate"),
  caCert: z
    .string()
    .regex(/-----BEGIN CERTIFICATE-----/, "certificates in PEM format")
    .optional()
    .describe("CA certificates in PEM format to trust instead of the system's"),
});

type Params = z.output<typeof params>;

/** Waits until a web server answers as expected. */
export const httpWait = task({
  name: "httpWait",
  summary: "Wait until a web server answers as expected, with requests from the controller or from the host",
  params,
  examples: [
    { url: "https://192.168.122.120/ping", body: "pong", times: 15, insecure: true, deadlineSeconds: 2700 },
    { url: "http://127.0.0.1/default.ipxe", from: "host", body: { contains: "#!ipxe" } },
  ],
  title: (p) => `httpWait ${withoutUrlSecrets(p.url)}`,
})
  .facts((p) => {
    const { url, timeoutSeconds, insecure, caCert } = p;
    const question = {
      url,
      timeoutSeconds,
      ...(insecure && { insecure }),
      ...(caCert !== undefined && { caCert }),
      // If only the status matters, the body does not need to be complete.
      ...(p.body === undefined && { partial: true }),
    };
    return { answer: p.from === "host" ? hostHttp(question) : httpAnswer(question) };
  })
  .want((p, { answer }) => {
    const wrong = difference(p, answer);
    return wrong === undefined ? {} : notYet(p, answer, wrong);
  })
  .wait((p) => ({
    intervalSeconds: p.intervalSeconds,
    deadlineSeconds: p.deadlineSeconds,
    consecutive: p.times,
    waitsFor: `${withoutUrlSecrets(p.url)} to answer ${[p.status].flat().join(" or ")}${wantedBody(p)}${p.times > 1 ? ` ${p.times} times in a row` : ""}`,
  }))
  .outputs((_p, { answer }) =>
    "error" in answer ? { status: 0, body: "" } : { status: answer.status, body: answer.body },
  );

/** Describes the expected body in words. */
function wantedBody({ body }: Params): string {
  if (body === undefined) return "";
  if (typeof body === "string") {
    const bare = body.replace(/\r?\n$/, "");
    return /[\r\n]/.test(bare) ? " with the expected body" : ` with the body "${bare}"`;
  }
  if ("matches" in body) return ` with a body that matches /${body.matches}/`;
  return /[\r\n]/.test(body.contains) ? " with the expected text in its body" : ` with "${body.contains}" in its body`;
}

/** Describes how an answer differs from the expected one. */
function difference(p: Params, answer: HttpAnswer): string | undefined {
  if ("error" in answer) return `no answer: ${answer.error.message}`;
  const wanted = [p.status].flat();
  if (!wanted.includes(answer.status))
    return `answered ${answer.status} instead of ${wanted.join(" or ")}${sample(answer.body)}`;
  const { body } = p;
  if (body === undefined) return undefined;
  const bare = (text: string): string => text.replace(/\r?\n$/, "");
  if (typeof body === "string") {
    return bare(answer.body) === bare(body)
      ? undefined
      : `answered ${answer.status}, but not with "${bare(body)}"${sample(answer.body)}`;
  }
  if ("contains" in body) {
    return answer.body.includes(body.contains)
      ? undefined
      : `answered ${answer.status} without "${body.contains}" in its body${sample(answer.body)}`;
  }
  return new RegExp(body.matches).test(answer.body)
    ? undefined
    : `answered ${answer.status}, and its body does not match /${body.matches}/${sample(answer.body)}`;
}

function sample(body: string): string {
  const line = body.replaceAll(/\s+/g, " ").trim();
  if (line === "") return "; its body was empty";
  return `; its body began: ${line.length > 200 ? `${line.slice(0, 200)}…` : line}`;
}

function notYet(p: Params, answer: HttpAnswer, wrong: string): Refusal {
  const cause = likelyCause(answer);
  const who = p.from === "host" ? "requested from the host" : "requested from the controller";
  return refuse({
    code: "not-yet",
    message: `last answer, ${who}: ${wrong}${cause === undefined ? "" : `. Likely: ${cause}`}`,
    hint: "Check the service, or raise deadlineSeconds",
  });
}
