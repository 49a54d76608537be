/** One layer: its files, what it may import, and the reason for the limit. */
export interface Layer {
  readonly name: string;
  /** Path from the repository's root: a folder ends in `/`, anything else is one file. */
  readonly path: string;
  /** Layers that this layer may import, in addition to itself. `*` is every layer. */
  readonly may: readonly string[];
  /**
   * Packages that this layer may import; undefined means any package that is not reserved for other layers in `homes`.
   */
  readonly packages?: readonly string[];
  /** True if this layer must not import `node:*` at all, `"io"` if it must not import the parts that read and write. */
  readonly closed?: true | "io";
  /** Completes the sentence "NAME may not import that: …". */
  readonly why: string;
}

/**
 * The layers, from DESIGN §4; the first match wins. This table defines the rule completely; `ARCHITECTURE.md` shows it
 * as a diagram.
 */
export const layers: readonly Layer[] = [
  {
    name: "core",
    path: "src/core/",
    may: [],
    closed: "io",
    why: "core contains the types and pure functions that everything else builds on",
  },
  {
    name: "factsDoor",
    path: "src/facts/index.ts",
    may: ["core", "facts"],
    why: "the entry point for kinds re-exports the contract of kinds",
  },
  {
    name: "catalogue",
    path: "src/facts/catalogue.ts",
    may: ["core", "facts"],
    why: "the facts that our tasks use are re-exported in one place",
  },
  {
    name: "facts",
    path: "src/facts/",
    may: ["core"],
    closed: "io",
    why: "a fact is a question as data; only the engine asks it",
  },
  {
    name: "authoring",
    path: "src/authoring.ts",
    may: ["core", "facts", "load"],
    why: "the authors' entry point re-exports only the contract, and no code that acts",
  },
  {
    name: "engine",
    path: "src/engine/",
    may: ["core"],
    closed: "io",
    why: "the engine knows only core and receives its transports, drivers and listeners",
  },
  {
    name: "simulated",
    path: "src/transport/simulated",
    may: ["core", "transport"],
    why: "a simulated host is one more transport",
  },
  {
    name: "ssh2PatchesDoor",
    path: "src/transport/ssh/patches/index.ts",
    may: ["ssh2Patches"],
    why: "the entry point of the ssh2 patches says whether they fit, and nothing else",
  },
  {
    name: "ssh2Patches",
    path: "src/transport/ssh/patches/",
    may: ["core"],
    why: "the ssh2 patches change ssh2's clients and know nothing about connections",
  },
  {
    name: "transport",
    path: "src/transport/",
    may: ["core", "simulated", "ssh2PatchesDoor"],
    why: "a transport carries bytes and knows nothing about tasks or runs",
  },
  {
    name: "load",
    path: "src/load/",
    may: ["core", "authoring"],
    why: "loading turns user files into core's data and connects to nothing",
  },
  {
    name: "report",
    path: "src/report/",
    may: ["core"],
    why: "a reporter sees events only, so that every report can be rebuilt from a recording",
  },
  {
    name: "cloudDoor",
    path: "src/cloud/index.ts",
    may: ["core", "cloud", "drivers"],
    why: "the clouds' entry point re-exports their inventories, and the inventory of a cluster's guests",
  },
  {
    name: "cloud",
    path: "src/cloud/",
    may: ["core", "facts"],
    why: "a cloud's driver answers the questions in src/facts and knows nothing about runs",
  },
  {
    name: "kubernetesDoor",
    path: "src/kubernetes/",
    may: ["core"],
    closed: "io",
    why: "the types of Kubernetes kinds are declarations only",
  },
  {
    name: "drivers",
    path: "src/drivers/",
    may: ["core", "facts"],
    why: "a driver answers requests that are plain data; some of them use the types of the questions in src/facts",
  },
  {
    name: "field",
    path: "src/field/",
    may: ["core"],
    closed: "io",
    why: "a field report is data about a host: the command line reads the host, and a simulation replays the report",
  },
  { name: "labDoor", path: "src/lab/index.ts", may: ["core", "lab"], why: "the lab's entry point re-exports the lab" },
  {
    name: "lab",
    path: "src/lab/",
    may: ["core", "labDoor"],
    why: "the lab creates hosts and knows nothing about runs",
  },
  {
    name: "testing",
    path: "src/testing/",
    may: ["core", "facts", "catalogue", "authoring", "engine", "simulated", "load", "drivers", "field"],
    why: "users test their tasks with it, so it must not need a real host",
  },
  { name: "cli", path: "src/cli/", may: ["*"], why: "the command line ties the layers together" },
  {
    name: "tasks",
    path: "tasks/",
    may: ["authoring", "catalogue", "factsDoor"],
    packages: [],
    closed: true,
    why: "a task describes and only the engine acts; take what you need from src/authoring.ts or src/facts/catalogue.ts, and, for a kind that only this task uses, from src/facts/index.ts",
  },
  {
    name: "roles",
    path: "roles/",
    may: ["authoring", "catalogue", "kubernetesDoor", "tasks"],
    // Types only.
    packages: ["kubernetes-models", "@kubevirt-ui-ext/kubevirt-api"],
    closed: true,
    why: "a role is a list of tasks with params; take what you need from src/authoring.ts and tasks/",
  },
  {
    name: "playbooks",
    path: "playbooks/",
    may: ["authoring", "tasks", "roles"],
    packages: ["furrow"],
    closed: true,
    why: 'a playbook is what a user could write: "furrow", "furrow/tasks" and roles',
  },
  {
    name: "inventory",
    path: "inventory/",
    may: ["authoring", "labDoor", "cloudDoor"],
    packages: ["furrow"],
    why: 'an inventory is what a user could write: it imports "furrow", "furrow/lab" for throwaway hosts, and "furrow/cloud" for hosts in clouds',
  },
  { name: "test", path: "test/", may: ["*"], why: "tests see everything" },
  {
    name: "bench",
    path: "bench/",
    may: ["core", "transport", "test"],
    why: "benchmarks use the published entry points; one also uses furrow's SSH connection, another the tests' API server",
  },
  { name: "scripts", path: "scripts/", may: ["*"], why: "scripts see everything" },
];

/** The rooms of one layer, lowest first: a file may import from its own room and from earlier ones. */
export interface Rooms {
  /** Folder, relative to the repository's root, ending in `/`. Files directly in it may be imported by all rooms. */
  readonly path: string;
  readonly order: readonly string[];
  /** Completes the sentence "ROOM may not import that: …". */
  readonly why: string;
}

/** The layers whose folders are ordered. */
export const rooms: readonly Rooms[] = [
  {
    path: "src/engine/",
    order: ["paths", "plan", "host", "task", "ahead", "run"],
    why: "work done in advance is optional, and a single task can be decided without a run",
  },
  {
    path: "src/transport/frame/",
    order: ["compile", "answers", "lock", "upload", "session"],
    why: "a frame is compiled and its answers are read without a session",
  },
];

/** Layers that `*` does not cover: nothing in the package may depend on them. */
export const onlyForUs: ReadonlySet<string> = new Set(["test", "bench", "scripts", "playbooks", "inventory"]);

/**
 * Packages that only certain folders may import, so that each package can be replaced in one folder (DESIGN §5). The
 * keys are prefixes of package names.
 */
export const homes: Readonly<Record<string, readonly string[]>> = {
  ssh2: ["transport", "ssh2Patches", "ssh2PatchesDoor", "test", "bench"],
  listr2: ["report"],
  chalk: ["report", "cli", "lab", "scripts", "bench"],
  "p-retry": ["transport", "engine", "cloud", "lab", "scripts"],
  socks: ["drivers"],
  ws: ["drivers", "test"],
  zx: ["lab", "scripts", "bench", "test"],
  "@aws-sdk/": ["cloud"],
  "@azure/": ["cloud"],
  "@google-cloud/": ["cloud"],
  vitest: ["testing", "test"],
  "fast-check": ["testing", "test"],
};

/** The parts of Node that reach outside the process. */
export const ioModules: ReadonlySet<string> = new Set(
  "child_process cluster dgram dns fs fs/promises http http2 https net readline tls worker_threads".split(" "),
);

/** The layer of a path relative to the root; undefined if no layer in the table matches. */
export function layerOf(path: string): Layer | undefined {
  return layers.find((layer) => path.startsWith(layer.path));
}
