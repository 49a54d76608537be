/** An inventory in the corpus: its files as text, and the command-line arguments that name them. */
export interface Case {
  /** Describes what makes the inventory difficult. */
  readonly name: string;
  /** File contents by path; a trailing `*` marks an executable file (an inventory program). */
  readonly files: Readonly<Record<string, string>>;
  /** The arguments of `-i`, in order; default: `hosts`. */
  readonly inventories?: readonly string[];
  /** Files with vault passwords. */
  readonly vault?: readonly string[];
}

/** A case with one INI file. */
export function ini(name: string, hosts: string): Case {
  return { name, files: { hosts } };
}

/** A case with one YAML file. */
export function yaml(name: string, text: string): Case {
  return { name, files: { "hosts.yml": text }, inventories: ["hosts.yml"] };
}
