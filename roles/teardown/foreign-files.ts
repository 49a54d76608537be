import { absent, absolutePath, refuse, task, tree, z } from "../../src/authoring.ts";
import { bootProgramName, documentRoot, tftpRoot } from "../cluster/cluster.ts";

const params = z.strictObject({
  path: absolutePath().describe("The directory that a later task removes with everything below it"),
});

/**
 * The files that furrow's roles, in any version, and the original scripts put into a directory, by their paths in it.
 */
const own: Readonly<Record<string, RegExp>> = {
  [documentRoot]:
    /^(harvester-v[^/]+-(vmlinuz-amd64|initrd-amd64|rootfs-amd64\.squashfs|amd64\.iso)|boot\.ipxe|nodes\/([\da-f]{2}-){5}[\da-f]{2}\.(ipxe|yaml)|default\.ipxe|vlan1\.xml|create_cloud_config\.yaml|join_cloud_config(_\d)?\.yaml)$/,
  [tftpRoot]: new RegExp(`^${bootProgramName.replaceAll(".", String.raw`\.`)}$`),
};

/** The files that an interrupted write or download leaves behind. */
const unfinished = /(^|\/)\.(furrow\.(staged|new)($|\/)|[^/]+\.(furrow|part)$)/;

/** The maximum number of files that a refusal names. */
const named = 10;

/**
 * Refuses to remove a directory that contains files that furrow did not put there: they would be lost without warning,
 * because the removal shows only their number.
 */
export const noForeignFiles = task({
  name: "noForeignFiles",
  summary: "Refuse to remove a directory that contains someone else's files",
  params,
  examples: [],
  title: ({ path }) => `${path} contains only furrow's own files`,
})
  .facts((p) => ({ there: tree(p.path) }))
  .want((p, { there }) => {
    const names = there === absent ? [] : there.names;
    const foreign = names.filter((name) => {
      const entry = there === absent ? undefined : there.entries[name];
      // Removing an empty directory loses nothing, and the removal itself refuses a mount point.
      return (
        entry !== undefined &&
        entry.type !== "directory" &&
        !(own[p.path]?.test(name) ?? false) &&
        !unfinished.test(name)
      );
    });
    if (foreign.length === 0) return {};
    const more = foreign.length > named ? `, and ${foreign.length - named} more` : "";
    const list = foreign.slice(0, named).map((name) => (/^[\w./@+-]+$/.test(name) ? name : JSON.stringify(name)));
    return refuse({
      code: "foreign-files",
      message: `${p.path} contains files that furrow did not put there and that would be removed too`,
      current: `${list.join(", ")}${more}`,
      expected: "only furrow's own files",
      hint: `Move what you need to another directory, and delete the rest; to list everything: find ${p.path}`,
    });
  })
  .steps(() => []);
