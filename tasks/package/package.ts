import {
  type AnyRef,
  type CommonOptions,
  type Composite,
  composite,
  type TaskCall,
  type TaskOptions,
} from "../../src/authoring.ts";
import { packageIndex } from "../package-index/package-index.ts";
import { installation } from "./installation.ts";
import { params } from "./params.ts";

type Given = Parameters<typeof installation>[0];
type Stated<State> = Extract<Given, { readonly state: State | AnyRef<State> }>;
type Latest = Stated<"latest">;
type Absent = Stated<"absent">;
type Versioned = Extract<Given, { readonly version: unknown }>;

const latest = composite(
  {
    name: installation.card.name,
    summary: installation.card.summary,
    params,
    examples: [{ name: "chrony", state: "latest" }],
  },
  (p) => [
    p.state === "latest" &&
      packageIndex({ manager: p.manager, maxAgeSeconds: p.indexMaxAgeSeconds, waitSeconds: p.waitSeconds }),
    installation(p),
  ],
);

/**
 * The `package` task. With `latest`, it is a composite that first refreshes the package index. Each form has its own
 * signature, so that an editor shows what its params mean.
 */
export interface PackageTask {
  (params: Latest, options?: CommonOptions): Composite;
  (params: Absent, options?: TaskOptions<undefined>): TaskCall<undefined>;
  (params: Versioned, options?: TaskOptions<undefined>): TaskCall<undefined>;
  (params: Exclude<Given, Latest | Absent | Versioned>, options?: TaskOptions<undefined>): TaskCall<undefined>;
  (params: Exclude<Given, Latest>, options?: TaskOptions<undefined>): TaskCall<undefined>;
  /** This overload is the last one, so the compiler's error about a wrong state names all states. */
  (params: Given, options?: CommonOptions): Composite | TaskCall<undefined>;
  readonly card: typeof installation.card;
  readonly definition: typeof installation.definition;
}

/**
 * Keeps packages installed (at any version, a given version or the latest) or absent. `package` is a reserved word, so
 * the task is called `t.package` or `pkg`.
 */
export const pkg = Object.assign(
  (input: Given, options?: TaskOptions<undefined>): Composite | TaskCall<undefined> =>
    isLatest(input) ? latest(input, options) : installation(input, options),
  { card: installation.card, definition: installation.definition },
) as PackageTask;

function isLatest(input: unknown): input is Latest {
  return typeof input === "object" && input !== null && "state" in input && input.state === "latest";
}
