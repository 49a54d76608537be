import {
  type CommonOptions,
  type Composite,
  composite,
  type OrRef,
  type TaskCall,
  type TaskOptions,
  type z,
} from "../../src/authoring.ts";
import { packageIndex } from "../package-index/package-index.ts";
import { installation } from "./installation.ts";
import { params } from "./params.ts";

type Input = z.input<typeof params>;
type Latest = Extract<Input, { readonly state: "latest" }>;

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

/** The `package` task. With `latest`, it is a composite that first refreshes the package index. */
export interface PackageTask {
  (params: OrRef<Latest>, options?: CommonOptions): Composite;
  (params: OrRef<Exclude<Input, Latest>>, options?: TaskOptions<undefined>): TaskCall<undefined>;
  /** This overload is the last one, so the compiler's error about a wrong state names all states. */
  (params: OrRef<Input>, options?: CommonOptions): Composite | TaskCall<undefined>;
  readonly card: typeof installation.card;
  readonly definition: typeof installation.definition;
}

/**
 * Keeps packages installed (at any version, a given version or the latest) or absent. `package` is a reserved word, so
 * the task is called `t.package` or `pkg`.
 */
export const pkg = Object.assign(
  (input: OrRef<Input>, options?: TaskOptions<undefined>): Composite | TaskCall<undefined> =>
    isLatest(input) ? latest(input, options) : installation(input, options),
  { card: installation.card, definition: installation.definition },
) as PackageTask;

function isLatest(input: unknown): input is Latest {
  return typeof input === "object" && input !== null && "state" in input && input.state === "latest";
}
