import type { KubernetesAnswer, KubernetesListAnswer, RefusalReason } from "../../src/authoring.ts";
import { lookAt, unseenTexts } from "../cluster-answers/answers.ts";
import { lookAtObject } from "../cluster-answers/one-object.ts";

/** The setting in which a cluster stores its version. */
export const versionSetting = { kind: "Setting", name: "server-version" } as const;

/** The path of that setting in the cluster's API. */
export const versionPath = `/apis/harvesterhci.io/v1beta1/settings/${versionSetting.name}`;

/** The data that a cluster is compared with. */
export interface Requested {
  readonly nodes: readonly { readonly name: string }[];
  readonly vip: string;
  readonly version: string;
}

/** A cluster's answers about itself; undefined if it was not queried. */
export interface OwnAnswers {
  readonly nodes?: KubernetesListAnswer | undefined;
  readonly running?: KubernetesAnswer | undefined;
}

/** A cluster's own data, as far as it could be read. */
export interface Account {
  /** The names of the cluster's nodes; undefined unless the list is complete. */
  readonly names: readonly string[] | undefined;
  /** The cluster's version; undefined if it could not be read, or is not a release. */
  readonly version: string | undefined;
  /** The data that could not be read, and why. */
  readonly unseen: readonly string[];
}

/** Returns a cluster's own data, as far as it could be read. */
export function accountIn({ nodes, running }: OwnAnswers): Account {
  const list = nodes === undefined ? undefined : lookAt({ nodes }, "nodes");
  const setting = running === undefined ? undefined : lookAtObject(running, versionSetting);
  return {
    names: list !== undefined && "seen" in list ? list.seen.nodes.map(({ name }) => name) : undefined,
    version: setting !== undefined && "seen" in setting ? release(setting.seen?.["value"]) : undefined,
    unseen: [
      ...(list !== undefined && "unseen" in list ? unseenTexts(list.unseen) : []),
      ...(setting !== undefined && "unseen" in setting ? [setting.unseen.message] : []),
    ],
  };
}

/** Describes a cluster that was not queried, in the same form as one whose answers could not be read. */
export function notAsked(why: string): string {
  return `the cluster's nodes and ${versionSetting.kind} ${versionSetting.name} cannot be read (${why})`;
}

function release(value: unknown): string | undefined {
  return typeof value === "string" && /^v\d+\.\d+\.\d+/.test(value) ? value : undefined;
}

/** Returns why a cluster with these nodes is not the requested one; undefined if it may be. */
export function otherNames({ nodes, vip }: Requested, names: readonly string[] = []): RefusalReason | undefined {
  if (names.length === 0 || nodes.some(({ name }) => names.includes(name))) return undefined;
  return {
    code: "other-cluster",
    message: `the cluster at ${vip} has none of the requested nodes: it is another cluster`,
    current: names.join(", "),
    expected: nodes.map(({ name }) => name).join(", "),
    hint: "Set the prefix of that cluster, or use the inventory of this one",
  };
}

/** Returns why new nodes cannot join a cluster with this version; undefined if they can. */
export function otherVersion({ version }: Requested, current: string | undefined): RefusalReason | undefined {
  if (current === undefined || current === version) return undefined;
  return {
    code: "other-version",
    message: `the cluster runs Harvester ${current}, so new nodes with ${version} could not join it`,
    current,
    expected: version,
    hint: `Set version: "${current}"; upgrade the cluster with harvester-upgrade --var version=${version}`,
  };
}
