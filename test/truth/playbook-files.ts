import type { CommonOptions, Node } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";

/** Options with the tag of the next task. */
export type Next = () => CommonOptions & { readonly tags: readonly string[] };

/** Tasks for files in all states, lines and blocks in one file, trees, archives, downloads and commands. */
export function files(
  vars: { readonly fixtures: string; readonly web: string; readonly digest: string },
  next: Next,
): Node[] {
  const conf = "/etc/truth.conf";
  return [
    t.file({ path: "/srv/truth", state: "directory", mode: "0750" }, next()),
    t.file({ path: "/srv/truth/new", content: "new\n", mode: "0640", owner: "root", group: "adm" }, next()),
    // These commands do not run, because what their `unless` looks for is created by an earlier task or has always
    // existed.
    t.command({ command: "exit 1", unless: ["test", "-e", "/srv/truth/new"], readOnly: true, disturbs: [] }, next()),
    t.command(
      {
        command: "exit 2",
        unless: "grep -q new /srv/truth/*",
        readOnly: true,
        reads: ["file:/srv/truth/*"],
        disturbs: [],
      },
      next(),
    ),
    t.command(
      {
        command: "exit 3",
        unless: ["test", "-e", "/etc/truth-right"],
        readOnly: true,
        reads: ["file:/etc/truth-right"],
        disturbs: [],
      },
      next(),
    ),
    t.file({ path: "/etc/truth-right", content: "right\n", mode: "0600" }, next()),
    t.file({ path: "/etc/truth-mode", content: "mode\n", mode: "0600" }, next()),
    t.file({ path: "/etc/truth-text", content: "what it shall be\n" }, next()),
    t.file({ path: "/srv", state: "directory", mode: "0755" }, next()),
    t.file({ path: "/srv/truth/link", state: "link", target: "new" }, next()),
    t.file({ path: "/etc/truth-link", state: "link", target: "truth-right" }, next()),
    t.file({ path: "/srv/stale", state: "absent", recursive: true }, next()),
    t.file({ path: "/srv/never-there", state: "absent" }, next()),
    t.file({ path: "/srv/truth/motd", source: `${vars.fixtures}/motd` }, next()),
    t.fileLine({ path: conf, line: "port=81", match: "^port=" }, next()),
    t.fileLine({ path: conf, line: "# kept" }, next()),
    t.fileLine({ path: conf, state: "absent", match: "^debug=" }, next()),
    t.fileBlock({ path: conf, block: "[truth]\na=1\n" }, next()),
    t.fileLine({ path: conf, line: "b=2", insertAfter: "^last=" }, next()),
    t.fileLine({ path: conf, line: "port=81", match: "^port=" }, next()),
    t.fileBlock({ path: conf, marker: "# {mark} other", state: "absent" }, next()),
    t.directoryTree({ path: "/srv/truth/tree", source: `${vars.fixtures}/tree` }, next()),
    t.directoryTree({ path: "/srv/tree-there", source: `${vars.fixtures}/tree`, purge: true }, next()),
    t.download(
      { url: `${vars.web}/site.tar.gz`, path: "/srv/truth/site.tar.gz", checksum: `sha256:${vars.digest}` },
      next(),
    ),
    t.unarchive(
      { archive: "/srv/truth/site.tar.gz", path: "/srv/truth/site", creates: "/srv/truth/site/index" },
      next(),
    ),
    t.unarchive({ source: `${vars.fixtures}/site.tar.gz`, path: "/srv/truth/site-too" }, next()),
    t.file({ path: "/srv/truth/site/extra", content: "next to the archive\n" }, next()),
    t.command({ command: "echo made >/srv/truth/made", creates: "/srv/truth/made", disturbs: [] }, next()),
    t.command({ command: "false", creates: "/etc/passwd", disturbs: [] }, next()),
    t.command(
      {
        command: "echo on >/srv/truth/flag",
        unless: ["test", "-s", "/srv/truth/flag"],
        readOnly: true,
        reads: ["file:/srv/truth/flag"],
        disturbs: ["file:/srv/truth/flag"],
        mayProvide: [],
      },
      next(),
    ),
    t.command(
      {
        command: "echo dark >/srv/truth/dark",
        unless: ["test", "-s", "/srv/truth/dark"],
        disturbs: ["file:/srv/truth/dark"],
        mayProvide: [],
      },
      next(),
    ),
    t.command(
      { command: "echo again >>/srv/truth/log", always: true, disturbs: ["file:/srv/truth/log"], mayProvide: [] },
      { tags: [...next().tags, "always-changed"] },
    ),
    t.fetch({ path: "/etc/debian_version", to: `${vars.fixtures}/fetched` }, next()),
  ];
}
