import {
  absent,
  absolutePath,
  digest,
  file,
  type FileState,
  localFile,
  mayRefuse,
  onlyRead,
  peek,
  program,
  refuse,
  type Refusal,
  type Step,
  task,
  z,
  exactly,
} from "../../src/authoring.ts";
import { unpacked, unpackedPath } from "../../src/facts/catalogue.ts";
import { aboveFacts, aboveRefusal, behindAbove } from "../file/above.ts";
import { removeHint } from "../file/obstacle.ts";
import { type Format, formatNames, formatOf, formats } from "./formats.ts";
import { unarchiveScript } from "./script.ts";

const shared = {
  path: absolutePath().describe("Directory on the host to unpack into; created with its parents if missing"),
  creates: absolutePath()
    .optional()
    .describe(
      "Unpack only if this path does not exist or an earlier run did not finish unpacking; default: unpack unless a record shows that this content was already unpacked there; only root can write such a record",
    ),
  format: z
    .enum(formatNames, { error: `one of ${formatNames.join(", ")}` })
    .optional()
    .describe("Format of the archive; default: derived from its name"),
  strip: z
    .int("a number of leading parts")
    .min(0, "a number of leading parts")
    .max(100, "at most 100 parts")
    .default(0)
    .describe("Number of leading parts to strip from every name; not for zip"),
  keepOwner: z
    .boolean()
    .default(false)
    .describe(
      "Keep the owners and special modes from a tar archive, also for existing directories below path; otherwise new files belong to the user who unpacks them, and existing directories keep their owner and mode",
    ),
  follow: z
    .boolean({ error: "true or false" })
    .default(false)
    .describe("Unpack through links to directories and through mounts below the directory, instead of refusing"),
};

const params = z
  .union(
    [
      z.strictObject({ archive: absolutePath().describe("Archive on the host"), ...shared }),
      z.strictObject({
        source: z
          .string()
          .min(1)
          .describe("Archive on the controller; a relative path is resolved against furrow's working directory"),
        ...shared,
      }),
    ],
    { error: "`archive`, a path on the host, or `source`, a path on the controller; and `path`, a directory" },
  )
  .refine((p) => formatFor(p) !== undefined, {
    message: `a \`format\`, because the name does not show it: one of ${formatNames.join(", ")}`,
    path: ["format"],
  })
  .refine((p) => p.strip === 0 || formatFor(p) !== "zip", {
    message: "0, because parts cannot be stripped from a zip",
    path: ["strip"],
  });

type Params = z.output<typeof params>;

/** Ensures that the content of an archive is unpacked in a directory. */
export const unarchive = task({
  name: "unarchive",
  summary:
    "Unpack a tar or zip archive from the host or the controller into a directory, unless the same content was already unpacked there",
  params,
  examples: [
    { archive: "/srv/cache/helm.tar.gz", path: "/opt/helm", strip: 1, creates: "/opt/helm/helm" },
    { source: "./site.tar.zst", path: "/srv/www/site" },
  ],
  title: (p) => `unarchive ${from(p)} to ${p.path}`,
  cannotPredict:
    "what the archive contains, whether it is complete and stays inside the directory, and whether anything blocks it",
  disturbs: (p) => [`file:${exactly(p.path)}/**`],
  brings: (p) => [p.creates?.startsWith(`${p.path}/`) === true ? p.creates : `${p.path}/**`],
  mayProvide: (p) => [
    `file:${exactly(p.path)}/**`,
    ...(p.creates === undefined ? [] : [`!file:${exactly(p.creates)}`]),
  ],
})
  .facts((p) => {
    const format = formatFor(p) ?? "tar";
    const { filter } = formats[format];
    return {
      to: file(p.path),
      ...("archive" in p && { archive: file(p.archive) }),
      ...("archive" in p && p.creates === undefined && { content: digest(p.archive, "sha256") }),
      ...("source" in p && { source: onlyRead(localFile(p.source)) }),
      ...(p.creates === undefined && { unpacked: unpacked(p.path, from(p)) }),
      ...(p.creates !== undefined && { creates: file(p.creates), unfinished: file(unfinishedMark(p)) }),
      tool: mayRefuse(onlyRead(program(format === "zip" ? "unzip" : "tar")), []),
      ...(filter && { filter: mayRefuse(onlyRead(program(filter)), []) }),
    };
  })
  .facts((p, now) => (p.creates !== undefined && now.creates !== absent ? {} : aboveFacts(p.path, peek(now, "to"))))
  .facts((p, now) => behindAbove(p.path, now))
  .want((p, now) => {
    if (p.creates !== undefined && now.creates !== absent && now.unfinished === absent) return {};
    const { to, archive, source } = now;
    if (archive === absent || source === absent) return noArchive(p);
    if (archive !== undefined && archive.type !== "file") return noArchive(p);
    if (to !== absent && to.type !== "directory" && to.type !== "link") return inTheWay(p.path, to.type);
    const noPlace = aboveRefusal(p.path, now);
    if (noPlace) return noPlace;
    const missing = missingTool(p, peek(now, "tool"), peek(now, "filter"));
    const wanted = { to: to === absent ? { type: "directory" as const } : undefined };
    if (p.creates !== undefined) return missing ?? { ...wanted, creates: {}, unfinished: absent };
    const note = noteOf(p, hashOf(now));
    if (missing && (now.unpacked === undefined || now.unpacked === absent || now.unpacked.archive !== note))
      return missing;
    return { ...wanted, unpacked: { archive: note } };
  })
  .steps((p, { now }) => {
    const sha256 = hashOf(now);
    const staged = `${p.path}/.furrow-${sha256.slice(0, 16)}.part`;
    const [archive, format] = ["archive" in p ? p.archive : staged, formatFor(p) ?? "tar"];
    const how = [format, String(p.strip), p.keepOwner ? "keep" : ""];
    const stamp = p.creates === undefined ? [unpackedPath(p.path, from(p)), noteOf(p, sha256)] : ["", ""];
    const mark = p.creates === undefined ? "" : unfinishedMark(p);
    const words = [archive, p.path, ...how, ...stamp, "source" in p ? "staged" : "", p.follow ? "follow" : "", mark];
    const unpack: Step = {
      step: "run",
      argv: ["sh", "-c", unarchiveScript, "unarchive", ...words],
      label: `unpack ${from(p)} into ${p.path}`,
      writesIn: p.path,
    };
    return [
      now.to === absent && { step: "makeDirectory", path: p.path, parents: true },
      "source" in p && { step: "upload", from: p.source, path: staged, sha256, mode: "0600" },
      unpack,
      "source" in p && { step: "remove", path: staged, recursive: false },
    ];
  });

/** A directory that exists while an archive is being unpacked: `creates` may exist long before the last file does. */
function unfinishedMark({ path }: Params): string {
  return `${path === "/" ? "" : path}/.furrow-unpacking`;
}

function formatFor(p: {
  readonly format?: Format | undefined;
  readonly archive?: string;
  readonly source?: string;
}): Format | undefined {
  return p.format ?? formatOf(p.archive ?? p.source ?? "");
}

function from(p: Params): string {
  return "archive" in p ? p.archive : p.source;
}

interface Contents {
  readonly source?: typeof absent | { readonly sha256: string };
  readonly content?: typeof absent | { readonly sha256?: string };
}

function hashOf({ source, content }: Contents): string {
  const known = source ?? content;
  return known === undefined || known === absent ? "" : (known.sha256 ?? "");
}

function noteOf(p: Params, sha256: string): string {
  return [`sha256:${sha256}`, p.strip > 0 && `strip ${p.strip}`, p.keepOwner && "owners kept"]
    .filter(Boolean)
    .join(", ");
}

function missingTool(p: Params, tool: unknown, filter: unknown): Refusal | undefined {
  const format = formatFor(p) ?? "tar";
  const names = [tool === absent && (format === "zip" ? "unzip" : "tar"), filter === absent && formats[format].filter];
  const [name] = names.filter(Boolean);
  if (!name) return undefined;
  return refuse({
    code: "no-program",
    message: `${from(p)} cannot be unpacked: ${name} is not installed on the host`,
    hint: `Install it in an earlier task: t.package({ name: "${name.replace("xz", "xz-utils")}" })`,
  });
}

function noArchive(p: Params): Refusal {
  const where = "archive" in p ? "on the host" : "on the controller";
  return refuse({
    code: "no-archive",
    message: `${from(p)} is not a file ${where}`,
    hint: "archive" in p ? "Put the task that creates it before this one" : "Name a file that exists",
  });
}

function inTheWay(path: string, type: FileState["type"]): Refusal {
  return refuse({
    code: "in-the-way",
    message: `${path} is a ${type}, but it must be a directory`,
    current: type,
    expected: "directory",
    hint: removeHint(path, type),
  });
}
