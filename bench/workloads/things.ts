/**
 * Names that both the plans and the tools' own files use. Nothing is computed here, because playbooks import this file.
 */

/** The only object of the `one` plan: a file. */
export const one = { path: "/etc/bench-one.conf", content: "setting = value\n" } as const;

/** The two directories among the ten objects of the `ten` plan. */
export const tenDirectories = ["/srv/bench-ten/a", "/srv/bench-ten/b"] as const;

/** The eight files among the ten objects of the `ten` plan. */
export const tenFiles = Array.from({ length: 8 }, (_, index) => ({
  path: `${tenDirectories[index % 2 === 0 ? 0 : 1]}/file-${index}.conf`,
  content: `# file ${index}\n${`setting-${index} = value\n`.repeat(20)}`,
}));

/** Where the tree is stored on a host. */
export const treePath = "/srv/bench-tree";

/** Where the large file is stored on a host. */
export const bigPath = "/srv/bench-big.img";
