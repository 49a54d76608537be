import type { Param } from "../ec2-fake/wire.ts";

const api = "https://docs.aws.amazon.com/AWSEC2/latest/APIReference";

/** Planned calls for which no dry run is possible, and the reason. */
export const withoutDryRun: Readonly<Record<string, string>> = {
  ModifySubnetAttribute: `the API has no DryRun for it: ${api}/API_ModifySubnetAttribute.html`,
  AssociateIamInstanceProfile: `the API has no DryRun for it: ${api}/API_AssociateIamInstanceProfile.html`,
  ReplaceIamInstanceProfileAssociation: `the API has no DryRun for it: ${api}/API_ReplaceIamInstanceProfileAssociation.html`,
};

/** A call that a fake received. */
interface Received {
  readonly action: string;
  readonly params: Readonly<Record<string, Param>>;
}

/** The dry runs before the first change of a run, and the changes that had no dry run. */
interface DryRuns {
  readonly first: readonly string[];
  /** Actions that were called more often than they were dry-run before the first change. */
  readonly unasked: readonly string[];
  /** The number of changes. */
  readonly changes: number;
}

/** Compares the changes that a run made with the dry runs that preceded them. */
export function dryRunsOf(calls: readonly Received[]): DryRuns {
  const isDry = ({ params }: Received): boolean => params["DryRun"] === "true";
  const isChange = (call: Received): boolean => !isDry(call) && !/^(Describe|Get)/.test(call.action);
  const changes = calls.filter(isChange);
  const start = calls.findIndex(isChange);
  const first = calls.slice(0, start === -1 ? calls.length : start).filter(isDry);
  const count = (list: readonly Received[], name: string): number =>
    list.filter(({ action }) => action === name).length;
  const actions = [...new Set(changes.map(({ action }) => action))];
  return {
    first: first.map(({ action }) => action),
    unasked: actions.filter((action) => count(changes, action) > count(first, action)),
    changes: changes.length,
  };
}
