import { expect, test } from "vitest";
import * as t from "../../../../tasks/index.ts";
import { isFurrowError } from "../../../core/errors.ts";
import { type Node, on } from "../../../core/authoring/group.ts";
import { checkConflicts } from "./conflicts.ts";
import { planNodes } from "../plan.ts";

const site = (over: object = {}) => t.directoryTree({ path: "/srv/site", source: "site", ...over });
/** True if the tree "site" contains a path. */
const treeHolds = (request: unknown, below: string): boolean =>
  (request as { readonly path: string }).path === "site" && ["conf", "sub", "sub/x"].includes(below);

function refused(nodes: readonly Node[]): string | undefined {
  try {
    const plan = planNodes(nodes, { target: "h", path: [], tags: [], when: [], become: undefined }, "");
    checkConflicts(plan, { treeHolds });
    return undefined;
  } catch (error) {
    if (!isFurrowError(error) || error.code !== "E_CONFLICTING_WANTS") throw error;
    return error.failure.what;
  }
}

test.each<{ what: string; nodes: () => readonly Node[]; part: string }>([
  {
    what: "a tree that purges, and a file that is missing from the tree's source",
    nodes: () => [site({ purge: true }), t.file({ path: "/srv/site/extra", content: "z" })],
    part: "file:/srv/site/extra",
  },
  {
    what: "a tree that purges and sets an owner, and a file that is missing from the tree's source",
    nodes: () => [site({ purge: true, owner: "www-data" }), t.file({ path: "/srv/site/extra", content: "z" })],
    part: "file:/srv/site/extra",
  },
  {
    what: "a directory, and a tree that purges and whose source lacks the directory",
    nodes: () => [t.file({ path: "/srv/site/sub/more", state: "directory" }), site({ purge: true })],
    part: "file:/srv/site/sub/more",
  },
  {
    what: "a tree that purges, and a link that is missing from the tree's source",
    nodes: () => [site({ purge: true }), t.file({ path: "/srv/site/now", state: "link", target: "v1" })],
    part: "file:/srv/site/now",
  },
  {
    what: "a tree that purges, and a line in a file that is missing from the tree's source",
    nodes: () => [site({ purge: true }), t.fileLine({ path: "/srv/site/local", line: "a", create: true })],
    part: "file:/srv/site/local",
  },
  {
    what: "a tree that purges, and another tree below it",
    nodes: () => [site({ purge: true }), t.directoryTree({ path: "/srv/site/docs", source: "elsewhere" })],
    part: "file:/srv/site/docs",
  },
  {
    what: "a tree that purges, and an archive that is unpacked into it",
    nodes: () => [site({ purge: true }), t.unarchive({ archive: "/srv/a.tar", path: "/srv/site" })],
    part: "file:/srv/site",
  },
  {
    what: "an archive, and a tree above it that purges",
    nodes: () => [t.unarchive({ archive: "/srv/a.tar", path: "/srv/site/sub/app" }), site({ purge: true })],
    part: "file:/srv/site/sub/app",
  },
  {
    what: "a tree that purges, and an archive that is unpacked into a directory that the tree's source contains",
    nodes: () => [site({ purge: true }), t.unarchive({ archive: "/srv/a.tar", path: "/srv/site/sub" })],
    part: "file:/srv/site/sub",
  },
  {
    what: "a tree that purges, and an archive whose `creates` is outside the tree",
    nodes: () => [
      site({ purge: true }),
      t.unarchive({ archive: "/a.tar", path: "/srv/site", creates: "/var/lib/done" }),
    ],
    part: "file:/srv/site",
  },
  {
    what: "a tree that purges, and an archive whose `creates` is inside the tree",
    nodes: () => [
      site({ purge: true, exclude: ["lib"] }),
      t.unarchive({ archive: "/a.tar", path: "/srv/site", creates: "/srv/site/bin/run" }),
    ],
    part: "file:/srv/site/bin/run",
  },
  {
    what: "an absent directory, and an archive that is unpacked into it",
    nodes: () => [
      t.file({ path: "/srv/site", state: "absent", recursive: true }),
      t.unarchive({ source: "a.tar", path: "/srv/site" }),
    ],
    part: "file:/srv/site",
  },
  {
    what: "an archive, and the removal of the parent of its target directory",
    nodes: () => [
      t.unarchive({ archive: "/a.tar", path: "/srv/site/a", creates: "/var/lib/done" }),
      t.file({ path: "/srv/site", state: "absent", recursive: true }),
    ],
    part: "file:/srv/site/a",
  },
  {
    what: "a user present and absent",
    nodes: () => [t.user({ name: "u1" }), t.user({ name: "u1", state: "absent" })],
    part: "user:u1",
  },
  {
    what: "two UIDs for a user",
    nodes: () => [t.user({ name: "x", uid: 1500 }), t.user({ name: "x", uid: 1501 })],
    part: "uid of user:x",
  },
  {
    what: "a user's group that is missing from another task's complete list",
    nodes: () => [t.user({ name: "x", groups: ["video"] }), t.user({ name: "x", groups: ["adm"], exactGroups: true })],
    part: "user:x",
  },
  {
    what: "a user without supplementary groups, and the same user with one",
    nodes: () => [t.user({ name: "x", groups: [], exactGroups: true }), t.user({ name: "x", groups: ["adm"] })],
    part: "user:x",
  },
  {
    what: "a unit started under one name and stopped under its other name",
    nodes: () => [
      t.service({ name: "nginx", state: "started" }),
      t.service({ name: "nginx.service", state: "stopped" }),
    ],
    part: "state of unit:nginx.service",
  },
  {
    what: "a unit enabled and disabled",
    nodes: () => [t.service({ name: "a", enabled: true }), t.service({ name: "a", enabled: false })],
    part: "enabled of unit:a.service",
  },
  {
    what: "a unit masked and not masked",
    nodes: () => [t.service({ name: "a", masked: false }), t.service({ name: "a", masked: true })],
    part: "masked of unit:a.service",
  },
  {
    what: "a package that another task may remove",
    nodes: () => [t.package({ name: "chrony", mayRemove: ["ntpsec"] }), t.package({ name: "ntpsec" })],
    part: "package:ntpsec",
  },
  {
    what: "two packages that may remove each other",
    nodes: () => [
      t.package({ name: "chrony", mayRemove: ["ntpsec"] }),
      t.package({ name: ["tree", "ntpsec"], mayRemove: ["chrony"] }),
    ],
    part: "package:",
  },
  {
    what: "the latest version of a package that another task may remove",
    nodes: () => [
      t.package({ name: "chrony", state: "latest", mayRemove: ["ntpsec"] }),
      t.package({ name: "ntpsec", state: "latest" }),
    ],
    part: "package:ntpsec",
  },
])("refuses before the run: $what", ({ nodes, part }) => {
  expect(refused(nodes())).toContain(part);
  expect(refused(nodes().toReversed())).toContain(part);
});

test.each<{ what: string; nodes: () => readonly Node[] }>([
  {
    what: "a tree that purges, and paths that are in its source, excluded, absent or outside the tree",
    nodes: () => [
      site({ purge: true, exclude: ["cache", "*.log"] }),
      t.file({ path: "/srv/site/sub", state: "directory" }),
      t.file({ path: "/srv/site/cache/x", content: "x" }),
      t.file({ path: "/srv/site/sub/a.log", content: "x" }),
      t.file({ path: "/srv/site/old", state: "absent" }),
      t.file({ path: "/srv/site-2", content: "x" }),
    ],
  },
  {
    what: "a tree without purge, and a file that is missing from the tree's source",
    nodes: () => [site(), t.file({ path: "/srv/site/extra", content: "z" })],
  },
  {
    what: "a unit started, and the same unit enabled with restartOn",
    nodes: () => {
      const conf = t.file({ path: "/etc/app.conf", content: "a" });
      const started = t.service({ name: "app", state: "started" });
      return [conf, started, t.service({ name: "app", enabled: true, restartOn: [conf] }), started];
    },
  },
  {
    what: "a group, and users in it",
    nodes: () => [
      t.group({ name: "x", gid: 1 }),
      t.user({ name: "u", group: "x" }),
      t.user({ name: "u", groups: ["a"] }),
      t.user({ name: "u", groups: ["b"] }),
      t.user({ name: "u", groups: ["x", "b", "a", "c"], exactGroups: true }),
    ],
  },
  {
    what: "a tree that purges, and archives in directories that it does not purge",
    nodes: () => [
      site({ purge: true, exclude: ["vendor", "sub/bin", "sub/lib"] }),
      t.unarchive({ archive: "/a.tar", path: "/srv/site/vendor" }),
      t.unarchive({ archive: "/b.tar", path: "/srv/site/vendor/app" }),
      t.unarchive({ archive: "/c.tar", path: "/srv/site/sub", creates: "/srv/site/sub/bin/run" }),
      t.unarchive({ archive: "/d.tar", path: "/srv/other" }),
    ],
  },
  {
    what: "a tree that does not purge, and an archive that is unpacked into it",
    nodes: () => [site(), t.unarchive({ archive: "/a.tar", path: "/srv/site" })],
  },
  {
    what: "an archive, and the removal of a part of its content",
    nodes: () => [
      t.unarchive({ archive: "/a.tar", path: "/srv/site" }),
      t.file({ path: "/srv/site/docs", state: "absent", recursive: true }),
    ],
  },
  {
    what: "a package that another task may remove, if it must be absent or is on another host",
    nodes: () => [
      t.package({ name: "chrony", mayRemove: ["ntpsec", "chrony"] }),
      t.package({ name: "ntpsec", state: "absent" }),
      on("other", [t.package({ name: "ntpsec" })]),
    ],
  },
])("accepts: $what", ({ nodes }) => {
  expect(refused(nodes())).toBeUndefined();
});
