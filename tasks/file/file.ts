import {
  absent,
  file as fileFact,
  isSecret,
  knownAfterApply,
  localFile,
  mayRefuse,
  onlyRead,
  peek,
  removal,
  type Step,
  task,
} from "../../src/authoring.ts";
import {
  askedLength,
  behindLinks,
  directoryObstacle,
  localTexts,
  parentOf,
  stampPath,
} from "../../src/facts/catalogue.ts";
import { acceptedFact, notAccepted, noValidator } from "./accepted.ts";
import { lossRefusal } from "./loss.ts";
import { blocks, directoriesAbove, noDirectory, noSource } from "./obstacle.ts";
import { ownerFacts, ownerRefusal, ownersOf } from "./owners.ts";
import { params, type Params } from "./params.ts";

/** Ensures that a path is a file, a directory or a symbolic link, or that nothing exists there. */
export const file = task({
  name: "file",
  summary: "Keep a file, directory or link at a path, with its content, mode and owner",
  params,
  examples: [
    { path: "/etc/motd", content: "Welcome to furrow\n", mode: "0644", owner: "root", group: "root" },
    { path: "/etc/ssh/sshd_config.d/furrow.conf", content: "PermitRootLogin no\n", validate: "sshd -t -f %s" },
    { path: "/srv/www/harvester", state: "directory", mode: "0755" },
    { path: "/etc/localtime", state: "link", target: "/usr/share/zoneinfo/UTC" },
    { path: "/etc/nginx/sites-enabled/default", state: "absent" },
  ],
  title: (p) => `file ${p.path}`,
  disturbs: () => [],
})
  .facts((p) => ({
    path: fileFact(p.path, p.state !== "file" ? [] : "source" in p ? ["stamped"] : ["sha256"], {
      secret: "content" in p && isSecret(p.content),
    }),
    ...(p.state !== "absent" && {
      parent: mayRefuse(makesParents(p) ? fileFact(parentOf(p.path)) : onlyRead(fileFact(parentOf(p.path))), ["type"]),
    }),
    ...(makesParents(p) &&
      directoriesAbove(p.path).length > 0 && {
        above: directoriesAbove(p.path).map((path) => mayRefuse(fileFact(path), ["type"])),
      }),
    ...("source" in p && { source: onlyRead(localFile(p.source)) }),
    ...(p.state !== "absent" && p.state !== "link" && ownerFacts(p)),
    ...(p.state === "absent" && { goes: mayRefuse(removal(p.path, p.recursive ? ["size"] : [])) }),
  }))
  .facts((p, now) => ({
    ...(p.state !== "absent" &&
      typeof peek(now, "path") !== "object" &&
      behindLinks(workplaces(p), [
        ...(makesParents(p) ? directoriesAbove(p.path) : []).map((_, at) => peek(now.above ?? [], at)),
        peek(now, "parent"),
      ])),
  }))
  .facts((p, { path, source }) => ({
    ...("source" in p &&
      p.validate !== undefined &&
      source !== undefined &&
      source !== absent &&
      source.size <= askedLength &&
      (path === absent || !("sha256" in path) || path.sha256 !== source.sha256) && {
        texts: localTexts(folderOf(p.source), [nameOf(p.source)]),
      }),
  }))
  .facts((p, { path, texts }) =>
    "content" in p || "source" in p
      ? acceptedFact(p, path, "content" in p ? p.content : texts?.[nameOf(p.source)])
      : {},
  )
  .want((p, now) => {
    const { path, source } = now;
    if (p.state === "absent") {
      if (path === absent) return { path };
      // An earlier task may remove mounts, so the run checks for them again. Without `recursive`, the outcome also
      // depends on whether the directory is empty, so that must be known.
      const isOpen = peek(now, "goes") === knownAfterApply && (p.recursive || path.type !== "directory");
      const goes = isOpen ? undefined : now.goes;
      return lossRefusal(p.path, goes, p) ?? { path: absent, goes: goes && absent };
    }
    const mayMake = makesParents(p);
    const parent = mayMake && peek(now, "parent") === knownAfterApply ? undefined : now.parent;
    const above = (mayMake ? directoriesAbove(p.path) : []).map((_, at) =>
      peek(now.above ?? [], at) === knownAfterApply ? undefined : now.above?.[at],
    );
    const wrong = directoryObstacle(workplaces(p), [...above, parent], now.behind, mayMake);
    if (wrong) return noDirectory(p.path, wrong);
    const inTheWay = blocks(path, p);
    if (inTheWay) return inTheWay;
    if (p.state === "link") return { path: { type: "link", target: p.target } };
    const nobody = ownerRefusal(p.path, p, now);
    if (nobody) return nobody;
    const unfit =
      "validate" in p &&
      p.validate &&
      (noValidator(p.path, p.validate, now.validator) ??
        notAccepted(p.path, p.validate, now.accepted, "content" in p && isSecret(p.content)));
    if (unfit) return unfit;
    const own = { mode: p.mode, ...ownersOf(p, now) };
    if (p.state === "directory") {
      const made = (found: unknown) => (found === absent ? { type: "directory" as const } : undefined);
      const outer = above.some((found) => found === absent) && { above: above.map(made) };
      return { path: { type: "directory", ...own }, parent: made(parent), ...outer };
    }
    if ("content" in p) return { path: { type: "file", text: p.content, ...own } };
    if (source === absent || source === undefined) return noSource(p.source);
    return { path: { type: "file", sha256: source.sha256, ...own } };
  })
  .steps((p, { change, now }) => {
    if (p.state === "absent") {
      const goes = peek(now, "goes") === knownAfterApply ? undefined : now.goes;
      const real = p.recursive && goes !== undefined && goes !== absent && { real: goes.real };
      return [{ step: "remove", path: p.path, recursive: p.recursive, ...real }];
    }
    const makes = change.parent !== undefined || change.above !== undefined || change.path?.from === absent;
    if (!change.path && !makes) return [];
    const own = {
      ...("mode" in p && p.mode !== undefined && { mode: p.mode }),
      ...("owner" in p && p.owner !== undefined && { owner: p.owner }),
      ...("group" in p && p.group !== undefined && { group: p.group }),
    };
    if (p.state === "link") return [{ step: "link", path: p.path, target: p.target }];
    if (p.state === "directory") {
      return makes
        ? [{ step: "makeDirectory", path: p.path, parents: p.parents, ...own }]
        : [{ step: "setAttributes", path: p.path, ...own }];
    }
    const sameContent = change.path?.paths.every((path) => path in own) ?? true;
    const stamp = "source" in p && { stamp: stampPath(p.path) };
    const accepted = "validate" in p && p.validate && { validate: p.validate };
    if (sameContent) return [{ step: "setAttributes", path: p.path, ...stamp, ...own }];
    const write: Step =
      "content" in p
        ? { step: "writeFile", path: p.path, text: p.content, ...accepted, ...own }
        : {
            step: "upload",
            from: p.source,
            path: p.path,
            sha256: hashOf(now.source),
            stamp: stampPath(p.path),
            ...accepted,
            ...own,
          };
    return [write];
  });

function makesParents(p: Params): boolean {
  return p.state === "directory" && p.parents;
}

/** The directories that the task creates or works in. */
function workplaces(p: Params): readonly string[] {
  return [...(makesParents(p) ? directoriesAbove(p.path) : []), parentOf(p.path)];
}

function hashOf(source: unknown): string {
  return (source as { readonly sha256: string }).sha256;
}

/**
 * Returns the directory of a file on the controller; a relative path is resolved against the directory in which furrow
 * was started.
 */
function folderOf(source: string): string {
  const at = source.lastIndexOf("/");
  return at < 0 ? "." : source.slice(0, at) || "/";
}

function nameOf(source: string): string {
  return source.slice(source.lastIndexOf("/") + 1);
}
