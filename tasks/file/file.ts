import {
  absent,
  absolutePath,
  file as fileFact,
  type FileState,
  isSecret,
  localFile,
  mode,
  name,
  refuse,
  type Refusal,
  stampPath,
  type Step,
  task,
  text,
  z,
} from "../../src/authoring.ts";

const place = {
  path: absolutePath().describe("Absolute path on the host"),
};
const attributes = {
  mode: mode().optional().describe('Octal mode in quotes, "0644"; left as it is where not given'),
  owner: name("a user", "www-data").optional().describe("Owning user, by name; left as it is where not given"),
  group: name("a group", "www-data").optional().describe("Owning group, by name; left as it is where not given"),
};

const params = z.union([
  z.strictObject({
    ...place,
    state: z.literal("file").default("file").describe("A regular file with this content"),
    content: text().describe("The whole content; may hold secrets"),
    ...attributes,
  }),
  z.strictObject({
    ...place,
    state: z.literal("file").default("file").describe("A regular file with the content of a file of the controller"),
    source: z.string().min(1).describe("Path on the controller; a relative one starts where furrow was started"),
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
  }),
  z.strictObject({
    ...place,
    state: z.literal("absent").describe("Nothing at this path"),
    recursive: z.boolean().default(false).describe("Remove a directory with all that is below it"),
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
  }))
  .want((p, { path, parent, source }) => {
    if (p.state === "absent") return { path: absent };
    if (parent === absent) return noParent(p.path);
    const inTheWay = blocks(path, p);
    if (inTheWay) return inTheWay;
    if (p.state === "link") return { path: { type: "link", target: p.target } };
    const own = { mode: p.mode, owner: p.owner, group: p.group };
    if (p.state === "directory") return { path: { type: "directory", ...own } };
    if ("content" in p) return { path: { type: "file", text: p.content, ...own } };
    if (source === absent || source === undefined) return noSource(p.source);
    return { path: { type: "file", sha256: source.sha256, ...own } };
  })
  .steps((p, { change, now }) => {
    if (!change.path) return [];
    const { from } = change.path;
    const own = {
      ...("mode" in p && p.mode !== undefined && { mode: p.mode }),
      ...("owner" in p && p.owner !== undefined && { owner: p.owner }),
      ...("group" in p && p.group !== undefined && { group: p.group }),
    };
    if (p.state === "absent") return [{ step: "remove", path: p.path, recursive: p.recursive }];
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

/** A directory never gives way to something else by itself, and nothing but a link or a file gives way to a directory. */
function blocks(now: FileState | typeof absent, p: Params): Refusal | undefined {
  if (now === absent || now.type === p.state || p.state === "absent") return undefined;
  if (now.type !== "directory" && p.state !== "directory") return undefined;
  return refuse({
    code: "in-the-way",
    message: `${p.path} is a ${now.type}, and a ${p.state} is wanted`,
    current: now.type,
    expected: p.state,
    hint: `Remove it first: file({ path: "${p.path}", state: "absent"${now.type === "directory" ? ", recursive: true" : ""} })`,
  });
}
