import { isRecord } from "../../../core/facts/symbols.ts";
import { askApi } from "./other-apis.ts";
import { metadataIn, type PlannedCall, recordsIn, resourceOf, wantsExternal } from "./planned-call.ts";
import { refused } from "./refused.ts";

/** A constraint of the organization that a planned call may violate. */
interface Constraint {
  readonly name: string;
  /** The value that a list constraint must allow; undefined for a constraint that is on or off. */
  readonly value?: string;
  /** The words that follow "the organization's policy" in the error: `forbids nested virtualization`. */
  readonly forbids: string;
  readonly hint: string;
}

/**
 * The constraints that apply to the parts of a call:
 * https://cloud.google.com/resource-manager/docs/organization-policy/org-policy-constraints
 */
export function constraintsOn(call: PlannedCall): Constraint[] {
  if (call.on !== "instance") return [];
  const { project, zone = "", name } = call.place;
  const resource = resourceOf(call);
  const metadata = metadataIn(call);
  const features = isRecord(resource["advancedMachineFeatures"]) ? resource["advancedMachineFeatures"] : {};
  const imageProject = imageProjectIn(resource);
  const all: readonly (readonly [touches: boolean, constraint: Constraint])[] = [
    [
      wantsExternal(call),
      {
        name: "compute.vmExternalIpAccess",
        value: `projects/${project}/zones/${zone}/instances/${name}`,
        forbids: `forbids an external address for ${name}`,
        hint: 'Set address: "none", and reach the machine through its private address',
      },
    ],
    [
      features["enableNestedVirtualization"] === true,
      {
        name: "compute.disableNestedVirtualization",
        forbids: "forbids nested virtualization",
        hint: "Set nested: false, or ask an administrator of the organization for an exception",
      },
    ],
    [
      /^true$/i.test(String(metadata["enable-guest-attributes"])),
      {
        name: "compute.disableGuestAttributesAccess",
        forbids: "forbids guest attributes, through which the machine publishes its host keys",
        hint: "Set hostKeys: false, and verify the host keys some other way",
      },
    ],
    [
      metadata["ssh-keys"] !== undefined,
      {
        name: "compute.requireOsLogin",
        forbids: "requires OS Login, which ignores the keys in sshKeys",
        hint: "Leave sshKeys out, and register your key with gceOsLogin",
      },
    ],
    [
      imageProject !== undefined,
      {
        name: "compute.trustedImageProjects",
        value: `projects/${imageProject ?? ""}`,
        forbids: `forbids images of the project ${imageProject ?? ""}`,
        hint: "Choose an image of a project that the policy allows",
      },
    ],
  ];
  return all.flatMap(([touches, constraint]) => (touches ? [constraint] : []));
}

function imageProjectIn(resource: Readonly<Record<string, unknown>>): string | undefined {
  for (const { initializeParams } of recordsIn(resource["disks"])) {
    const image = isRecord(initializeParams) ? initializeParams["sourceImage"] : undefined;
    if (typeof image === "string") return /^projects\/([^/]+)\//.exec(image)?.[1];
  }
  return undefined;
}

/**
 * Refuses a call that violates an effective policy of the organization
 * (https://cloud.google.com/resource-manager/docs/reference/orgpolicy/rest/v2/projects.policies/getEffectivePolicy). If
 * this cannot be determined for a constraint, returns the reason.
 */
export async function rehearsePolicies(call: PlannedCall, signal: AbortSignal): Promise<string | undefined> {
  const open = new Set<string>();
  for (const constraint of constraintsOn(call)) {
    const verdict = await policyOn(call.place.project, constraint, signal);
    if (verdict.is === "unknown") open.add(verdict.why);
    if (verdict.is !== "forbidden") continue;
    throw refused({
      code: "policy",
      what: `the organization's policy ${constraint.forbids}`,
      current: `constraints/${constraint.name}`,
      hint: constraint.hint,
    });
  }
  return open.size === 0 ? undefined : `policies of the organization: ${[...open].join(", ")}`;
}

/**
 * Whether an effective policy forbids a value, or is on. If this cannot be determined, or depends on a condition,
 * returns the reason.
 */
export async function policyOn(
  project: string,
  { name, value }: Pick<Constraint, "name" | "value">,
  signal: AbortSignal,
): Promise<{ readonly is: "allowed" | "forbidden" } | { readonly is: "unknown"; readonly why: string }> {
  const path = `v2/projects/${project}/policies/${name}:getEffectivePolicy`;
  const answer = await askApi({ api: "orgpolicy", path }, signal);
  if (answer.is === "unknown") return answer;
  if (answer.is === "missing") return { is: "unknown", why: `no answer about ${name}` };
  const is = verdictOf(rulesIn(answer.body), value);
  return is === "unknown" ? { is, why: `the policy ${name} depends on a condition` } : { is };
}

function rulesIn(body: Readonly<Record<string, unknown>>): readonly Readonly<Record<string, unknown>>[] {
  return recordsIn(isRecord(body["spec"]) ? body["spec"]["rules"] : undefined);
}

/**
 * What a policy's rules decide about a value, or about a constraint that is on or off. Without rules, everything is
 * allowed.
 */
export function verdictOf(
  rules: readonly Readonly<Record<string, unknown>>[],
  value: string | undefined,
): "allowed" | "forbidden" | "unknown" {
  if (rules.some(({ condition }) => condition !== undefined && condition !== null)) return "unknown";
  if (value === undefined) return rules.some(({ enforce }) => enforce === true) ? "forbidden" : "allowed";
  if (rules.some(({ denyAll }) => denyAll === true)) return "forbidden";
  const denied = valuesIn(rules, "deniedValues");
  const allowed = valuesIn(rules, "allowedValues");
  if (denied.includes(value)) return "forbidden";
  // The API does not list the members of a group of values.
  if ([...denied, ...allowed].some((one) => /^(in|under):/.test(one)) && !allowed.includes(value)) return "unknown";
  return allowed.length === 0 || allowed.includes(value) || rules.some(({ allowAll }) => allowAll === true)
    ? "allowed"
    : "forbidden";
}

function valuesIn(
  rules: readonly Readonly<Record<string, unknown>>[],
  key: "allowedValues" | "deniedValues",
): string[] {
  return rules.flatMap(({ values }) => {
    const list: unknown = isRecord(values) ? values[key] : undefined;
    return Array.isArray(list) ? list.map((one) => String(one).replace(/^is:/, "")) : [];
  });
}
