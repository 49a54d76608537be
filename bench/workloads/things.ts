/** Names used both by plans and by the tools' own files; nothing is computed here, since playbooks import it. */

/** The one-object plan: a file. */
export const one = { path: "/etc/bench-one.conf", content: "setting = value\n" } as const;

/** The plan of ten objects: two directories. */
export const tenDirectories = ["/srv/bench-ten/a", "/srv/bench-ten/b"] as const;

/** The plan of ten objects: eight files. */
export const tenFiles = Array.from({ length: 8 }, (_, index) => ({
  path: `${tenDirectories[index % 2 === 0 ? 0 : 1]}/file-${index}.conf`,
  content: `# file ${index}\n${`setting-${index} = value\n`.repeat(20)}`,
}));

/** Where the tree is kept on a host. */
export const treePath = "/srv/bench-tree";

/** Where the large file is kept on a host. */
export const bigPath = "/srv/bench-big.img";
