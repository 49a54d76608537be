/** One inventory of the corpus: files as text, and the command-line arguments that name them. */
export interface Case {
  /** What makes it difficult. */
  readonly name: string;
  /** Text by path; a path that ends in `*` is a program's. */
  readonly files: Readonly<Record<string, string>>;
  /** The arguments of `-i`, in order; default: `hosts`. */
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
