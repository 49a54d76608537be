import {
  absent,
  absolutePath,
  file as fileFact,
  type FileState,
  isProtected,
  isSecret,
  knownAfterApply,
  localFile,
  mode,
  name,
  peek,
  refuse,
  type Refusal,
  removal,
  stampPath,
  type Step,
  task,
  text,
  z,
} from "../../src/authoring.ts";
import { lossRefusal } from "./loss.ts";
import { ownerFacts, ownerRefusal, ownersOf } from "./owners.ts";

const place = {
  path: absolutePath().describe("Absolute path on the host"),
};
const attributes = {
  mode: mode().optional().describe('Octal mode in quotes, "0644"; left as it is where not given'),
  owner: name("a user", "www-data").optional().describe("Owning user, by name; left as it is where not given"),
  group: name("a group", "www-data").optional().describe("Owning group, by name; left as it is where not given"),
};

const replaceSpecial = {
  replace: z
    .literal("special", { error: '"special"' })
    .optional()
    .describe('"special": a device node, FIFO or socket at the path may give way to the file'),
};

const params = z.union([
  z.strictObject({
    ...place,
    state: z.literal("file").default("file").describe("A regular file with this content"),
    content: text().describe("The whole content; may hold secrets"),
    ...replaceSpecial,
    ...attributes,
  }),
  z.strictObject({
    ...place,
    state: z.literal("file").default("file").describe("A regular file with the content of a file of the controller"),
    source: z.string().min(1).describe("Path on the controller; a relative one starts where furrow was started"),
    ...replaceSpecial,
    ...attributes,
  }),
  z.strictObject({
    ...place,
    state: z.literal("directory").describe("A directory"),
    parents: z.boolean().default(true).describe("Make missing parents too, with mode 0755"),
    ...attributes,
  }),
  z.strictObject({
    ...place,
    state: z.literal("link").describe("A symbolic link"),
    target: z.string().min(1).describe("What the link points to, as it will stand in the link"),
    replace: z
      .enum(["file", "special"], { error: '"file" or "special"' })
      .optional()
      .describe(
        'What may give way to the link: "file" for a regular file, "special" for a device node, FIFO or socket',
      ),
  }),
  z.strictObject({
    path: place.path.refine((path) => !isProtected(path), "a path below it: no host can do without this directory"),
    state: z.literal("absent").describe("Nothing at this path"),
    recursive: z.boolean().default(false).describe("Remove a directory with all that is below it"),
    devices: z
      .boolean({ error: "true or false" })
      .default(false)
      .describe("Remove device nodes too, at the path or below it"),
  }),
]);

type Params = z.output<typeof params>;

/** Keeps a file, a directory, a symbolic link, or nothing, at a path. */
export const file = task({
  name: "file",
  summary: "Keep a file, directory or link at a path, with its content, mode and owner",
  params,
  examples: [
    { path: "/etc/motd", content: "Welcome to furrow\n", mode: "0644", owner: "root", group: "root" },
    { path: "/srv/www/harvester", state: "directory", mode: "0755" },
    { path: "/etc/localtime", state: "link", target: "/usr/share/zoneinfo/UTC" },
    { path: "/etc/nginx/sites-enabled/default", state: "absent" },
  ],
  title: (p) => `file ${p.path}`,
})
  .facts((p) => ({
    path: fileFact(p.path, p.state !== "file" ? [] : "source" in p ? ["stamped"] : ["sha256"], {
      secret: "content" in p && isSecret(p.content),
    }),
    ...(p.state !== "absent" && !(p.state === "directory" && p.parents) && { parent: fileFact(parentOf(p.path)) }),
    ...("source" in p && { source: localFile(p.source) }),
    ...(p.state !== "absent" && p.state !== "link" && ownerFacts(p)),
    ...(p.state === "absent" && { goes: removal(p.path, p.recursive ? ["size"] : []) }),
  }))
  .want((p, now) => {
    const { path, parent, source } = now;
    if (p.state === "absent") {
      if (path === absent) return { path };
      // What an earlier task unmounts or empties is looked at again before anything goes.
      const goes = peek(now, "goes") === knownAfterApply ? undefined : now.goes;
      return lossRefusal(p.path, goes, p) ?? { path: absent, goes: goes && absent };
    }
    if (parent === absent) return noParent(p.path);
    const inTheWay = blocks(path, p);
    if (inTheWay) return inTheWay;
    if (p.state === "link") return { path: { type: "link", target: p.target } };
    const nobody = ownerRefusal(p.path, p, now);
    if (nobody) return nobody;
    const own = { mode: p.mode, ...ownersOf(p, now) };
    if (p.state === "directory") return { path: { type: "directory", ...own } };
    if ("content" in p) return { path: { type: "file", text: p.content, ...own } };
    if (source === absent || source === undefined) return noSource(p.source);
    return { path: { type: "file", sha256: source.sha256, ...own } };
  })
  .steps((p, { change, now }) => {
    if (p.state === "absent") return [{ step: "remove", path: p.path, recursive: p.recursive }];
    if (!change.path) return [];
    const { from } = change.path;
    const own = {
      ...("mode" in p && p.mode !== undefined && { mode: p.mode }),
      ...("owner" in p && p.owner !== undefined && { owner: p.owner }),
      ...("group" in p && p.group !== undefined && { group: p.group }),
    };
    if (p.state === "link") return [{ step: "link", path: p.path, target: p.target }];
    if (p.state === "directory") {
      return from === absent
        ? [{ step: "makeDirectory", path: p.path, parents: p.parents, ...own }]
        : [{ step: "setAttributes", path: p.path, ...own }];
    }
    const sameContent = change.path.paths.every((path) => path in own);
    const stamp = "source" in p && { stamp: stampPath(p.path) };
    if (sameContent) return [{ step: "setAttributes", path: p.path, ...stamp, ...own }];
    const write: Step =
      "content" in p
        ? { step: "writeFile", path: p.path, text: p.content, ...own }
        : {
            step: "upload",
            from: p.source,
            path: p.path,
            sha256: hashOf(now.source),
            stamp: stampPath(p.path),
            ...own,
          };
    return [write];
  });

function hashOf(source: unknown): string {
  return (source as { readonly sha256: string }).sha256;
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/")) || "/";
}

function noParent(path: string): Refusal {
  return refuse({
    code: "no-parent",
    message: `${path} cannot be made, because ${parentOf(path)} does not exist`,
    hint: `Put file({ path: "${parentOf(path)}", state: "directory" }) before it`,
  });
}

function noSource(source: string): Refusal {
  return refuse({
    code: "no-source",
    message: `the source ${source} is not a file of the controller`,
    hint: "Name a file that exists; a relative path starts where furrow was started",
  });
}

/**
 * A directory never gives way to something else by itself, nor anything to a directory. A file gives way to a link, and a
 * device node, FIFO or socket to either, only where that is asked for. A link gives way to a file: it holds nothing.
 */
function blocks(now: FileState | typeof absent, p: Params): Refusal | undefined {
  if (now === absent || now.type === p.state || p.state === "absent") return undefined;
  if (now.type !== "directory" && p.state !== "directory") {
    const needed = now.type === "other" ? "special" : "file";
    if (now.type === "link" || p.replace === needed) return undefined;
    const found = now.type === "other" ? "a device node, FIFO or socket" : "a regular file";
    return refuse({
      code: "would-replace",
      message: `${p.path} is ${found}, and a ${p.state} is wanted`,
      current: found,
      expected: p.state,
      hint: `Add replace: "${needed}" if it may go`,
    });
  }
  return refuse({
    code: "in-the-way",
    message: `${p.path} is a ${now.type}, and a ${p.state} is wanted`,
    current: now.type,
    expected: p.state,
    hint: `Remove it first: file({ path: "${p.path}", state: "absent"${now.type === "directory" ? ", recursive: true" : ""} })`,
  });
}
