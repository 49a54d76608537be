/** One inventory of the corpus: files as text, and how it is named on the command line. */
export interface Case {
  /** What is ugly about it. */
  readonly name: string;
  /** Text by path; a path that ends in `*` is that of a program. */
  readonly files: Readonly<Record<string, string>>;
  /** What `-i` names, in order; default: `hosts`. */
  readonly inventories?: readonly string[];
  /** Files with vault passwords. */
  readonly vault?: readonly string[];
}

/** A case of one INI file. */
export function ini(name: string, hosts: string): Case {
  return { name, files: { hosts } };
}

/** A case of one YAML file. */
export function yaml(name: string, text: string): Case {
  return { name, files: { "hosts.yml": text }, inventories: ["hosts.yml"] };
}
