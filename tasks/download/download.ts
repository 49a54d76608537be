import {
  absent,
  type Absent,
  type Digest,
  digest,
  file,
  type FileState,
  FurrowError,
  httpAnswer,
  type HttpAnswer,
  mapTexts,
  mayRefuse,
  onlyRead,
  peek,
  program,
  refuse,
  Refusal,
  shellQuote,
  type Step,
  task,
} from "../../src/authoring.ts";
import { behindLinks, directoryObstacle, parentOf, stampPath, withoutUrlSecrets } from "../../src/facts/catalogue.ts";
import { noDirectory, removeHint } from "../file/obstacle.ts";
import { type Checksum, findChecksum } from "./checksum-list.ts";
import { givenChecksum, listedName, type Params, params } from "./params.ts";
import { attributesScript, downloadScript } from "./script.ts";

/** Ensures that a file from the web is on the host. */
export const download = task({
  name: "download",
  summary: "Keep a file downloaded from the web on the host, verified by its checksum",
  params,
  examples: [
    {
      url: "https://releases.rancher.com/harvester/v1.4.1/harvester-v1.4.1-amd64.iso",
      path: "/srv/www/harvester/harvester-v1.4.1-amd64.iso",
      checksum: { url: "https://releases.rancher.com/harvester/v1.4.1/harvester-v1.4.1-amd64.sha512" },
      mode: "0644",
    },
    {
      url: "https://example.org/tool",
      path: "/usr/local/bin/tool",
      checksum: "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
      mode: "0755",
      owner: "root",
    },
  ],
  title: (p) => `download ${p.path}`,
  cannotPredict: "whether the server has the file, and whether its content matches the checksum",
  disturbs: () => [],
})
  .facts((p) => {
    const given = givenChecksum(p);
    return {
      path: file(p.path),
      parent: mayRefuse(onlyRead(file(parentOf(p.path))), ["type"]),
      curl: mayRefuse(onlyRead(program("curl")), []),
      wget: mayRefuse(onlyRead(program("wget")), []),
      ...(given && { digest: digest(p.path, given.algorithm) }),
      ...(typeof p.checksum !== "string" && { list: httpAnswer(listQuestion(p, p.checksum.url)) }),
    };
  })
  .facts((p, now) => ({
    ...(typeof peek(now, "path") !== "object" && behindLinks([parentOf(p.path)], [peek(now, "parent")])),
    // One of the two programs is enough.
    ...(typeof peek(now, "curl") === "object" && { wget: onlyRead(program("wget")) }),
    ...(typeof peek(now, "wget") === "object" &&
      Object.keys(p.headers).length === 0 && { curl: onlyRead(program("curl")) }),
  }))
  .facts((p, { list }) => {
    const listed = list === undefined ? undefined : checksumOf(p, list);
    return listed === undefined || listed instanceof Refusal ? {} : { listed: digest(p.path, listed.algorithm) };
  })
  .want((p, now) => {
    const { path, parent } = now;
    const checksum = checksumOf(p, now.list);
    if (checksum instanceof Refusal) return checksum;
    const wrong = directoryObstacle([parentOf(p.path)], [parent], now.behind);
    if (wrong) return noDirectory(p.path, wrong);
    if (path !== absent && path.type !== "file") return inTheWay(p.path, path.type);
    const noCurl = peek(now, "curl") === absent;
    const noTool = noCurl && (peek(now, "wget") === absent || Object.keys(p.headers).length > 0);
    if (noTool && isDue(path, now.digest ?? now.listed, checksum)) return noProgram(p);
    const content = checksum && { [checksum.algorithm]: checksum.hex };
    return {
      path: { type: "file", mode: p.mode, owner: p.owner, group: p.group },
      ...(content && (now.list === undefined ? { digest: content } : { listed: content })),
    };
  })
  .steps((p, { change, now }): Step[] => {
    const checksum = checksumOf(p, now.list);
    if (checksum instanceof Refusal) return [];
    const { path, digest: given, listed } = change;
    if (path?.from === absent || given !== undefined || listed !== undefined) return [fetchIt(p, checksum)];
    return [adjust(p, checksum)];
  })
  .notes((p, now) => {
    const known = now.digest ?? now.listed;
    if (known === undefined || known === absent || known.stamped !== false) return [];
    return [`${p.path} was read in full to compute its checksum, because it has changed since furrow wrote it`];
  });

function listQuestion(p: Params, url: string): Parameters<typeof httpAnswer>[0] {
  const { headers, insecure } = p;
  const sameServer = new URL(url).origin === new URL(p.url).origin;
  return {
    url,
    timeoutSeconds: 30,
    redirects: 10,
    maxBytes: 8_388_608,
    ...(insecure && { insecure }),
    ...(sameServer && Object.keys(headers).length > 0 && { headers }),
  };
}

function checksumOf(p: Params, list: HttpAnswer | undefined): Checksum | Refusal | undefined {
  if (typeof p.checksum === "string") return givenChecksum(p);
  if (list === undefined) return undefined;
  const problem = (message: string): Refusal =>
    refuse({
      code: "no-checksum",
      message: `the checksum of ${withoutUrlSecrets(p.url)} cannot be determined: ${message}`,
      hint: `Check ${withoutUrlSecrets((p.checksum as { url: string }).url)}, or give the checksum as a value`,
    });
  if ("error" in list) return problem(`the checksum list cannot be fetched: ${list.error.message}`);
  if (list.status !== 200) return problem(`the server answered the request for the checksum list with ${list.status}`);
  const found = findChecksum(list.body, listedName(p));
  return "problem" in found ? problem(found.problem) : found.checksum;
}

function isDue(path: unknown, known: Digest | Absent | undefined, checksum: Checksum | undefined): boolean {
  if (path === absent) return true;
  return (
    checksum !== undefined && (known === undefined || known === absent || known[checksum.algorithm] !== checksum.hex)
  );
}

function fetchIt(p: Params, checksum: Checksum | undefined): Step {
  const numbers = [p.connectTimeoutSeconds, p.stallTimeoutSeconds, p.tries].map((number) => String(Math.ceil(number)));
  const attributes = [p.mode ?? "", p.owner ?? "", p.group ?? ""];
  const content = [checksum?.algorithm ?? "", checksum?.hex ?? ""];
  const last = [stampPath(p.path), p.insecure ? "insecure" : ""];
  const words = [p.url, p.path, partOf(p.path), ...content, ...numbers, ...attributes, ...last];
  return {
    step: "run",
    argv: ["sh", "-c", downloadScript, "download", ...words],
    label: `download ${withoutUrlSecrets(p.url)} to ${shellQuote(p.path)}`,
    stdin: Object.entries(p.headers).map(configLine).join(""),
    timeoutSeconds: p.timeoutSeconds,
  };
}

/** Formats one header for `curl --config`, which expects double-quoted strings with backslash escapes. */
function configLine([header, value]: [string, string]): string {
  return mapTexts([value], ([text]) => {
    if (/[\r\n]/.test(text)) {
      throw new FurrowError("E_REFUSED", {
        what: `the value of the header ${header} contains a line break`,
        hint: "Remove the line break from the secret's value",
      });
    }
    return `header = "${header}: ${text.replaceAll(/["\\]/g, String.raw`\$&`)}"\n`;
  });
}

function adjust(p: Params, checksum: Checksum | undefined): Step {
  const words = [p.path, checksum?.algorithm ?? "", checksum?.hex ?? "", p.mode ?? "", p.owner ?? "", p.group ?? ""];
  return {
    step: "run",
    argv: ["sh", "-c", attributesScript, "download", ...words, stampPath(p.path)],
    label: `set ${[p.mode, p.owner, p.group].filter(Boolean).join(" ")} on ${p.path}`,
  };
}

/**
 * Returns the path of the part file. The file is in the target's directory, so that the rename is atomic, and its name
 * begins with a dot, so that web servers do not list it.
 */
function partOf(path: string): string {
  const at = path.lastIndexOf("/") + 1;
  return `${path.slice(0, at)}.${path.slice(at)}.part`;
}

function inTheWay(path: string, type: FileState["type"]): Refusal {
  return refuse({
    code: "in-the-way",
    message: `${path} is a ${type}, but it must be a file`,
    current: type,
    expected: "file",
    hint: removeHint(path, type),
  });
}

function noProgram(p: Params): Refusal {
  const withHeaders = Object.keys(p.headers).length > 0;
  return refuse({
    code: "no-program",
    message: `${withoutUrlSecrets(p.url)} cannot be downloaded: ${withHeaders ? "headers need curl, which is not" : "neither curl nor wget is"} on the host`,
    hint: 'Install it in an earlier task: t.package({ name: "curl" })',
  });
}
