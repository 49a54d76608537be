import type { Call } from "../ec2-fake/fake.ts";
import { list, type Param, text } from "../ec2-fake/wire.ts";
import type { World } from "../ec2-fake/world.ts";

/** A statement of a printed policy. */
export interface Statement {
  readonly Action: readonly string[];
  readonly Resource: "*" | readonly string[];
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** The resource type of each id, by its prefix. */
const types: Readonly<Record<string, string>> = {
  ami: "image",
  eipalloc: "elastic-ip",
  i: "instance",
  igw: "internet-gateway",
  key: "key-pair",
  rtb: "route-table",
  sg: "security-group",
  subnet: "subnet",
  vol: "volume",
  vpc: "vpc",
};

/**
 * Types of resources that an action names, but for which Amazon requires no permission
 * (https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonec2.html).
 */
const notAsked: Readonly<Record<string, readonly string[]>> = { CreateRoute: ["internet-gateway"] };

/** A resource of a call: its type, and the context keys that conditions can test. */
interface Resource {
  readonly type: string;
  readonly context: Readonly<Record<string, string>>;
}

/**
 * Returns the resources of a call to which no statement applies, each as `ACTION on TYPE`. It imitates a small part of
 * how Amazon evaluates policies
 * (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html). Calls that set tags also
 * need the permission to create them.
 */
export function notAllowed(statements: readonly Statement[], { action, region, params }: Call, world: World): string[] {
  const made = list(params, "TagSpecification").map((one): Resource => {
    const tags = list(one, "Tag").map((tag) => [`aws:RequestTag/${text(tag, "Key") ?? ""}`, text(tag, "Value") ?? ""]);
    return { type: text(one, "ResourceType") ?? "", context: Object.fromEntries(tags) as Record<string, string> };
  });
  const named = idsIn(params).flatMap((id): Resource[] => {
    const type = types[id.split("-")[0] ?? ""] ?? id;
    if (notAsked[action]?.includes(type) === true) return [];
    const tags = [...(world.thing(id)?.tags ?? [])].map(([key, value]) => [`aws:ResourceTag/${key}`, value]);
    return [{ type, context: Object.fromEntries(tags) as Record<string, string> }];
  });
  const tagged = made.map(({ type, context }) => ({ type, context: { ...context, "ec2:CreateAction": action } }));
  const open = (name: string, resources: readonly Resource[]): string[] =>
    resources
      .filter((one) => !statements.some((statement) => applies(statement, name, region, one)))
      .map(({ type }) => `${name} on ${type}`);
  return [...open(`ec2:${action}`, [...made, ...named]), ...open("ec2:CreateTags", tagged)];
}

function idsIn(params: Param): string[] {
  if (typeof params === "string")
    return /^[a-z]+-[0-9a-f]+$/.test(params) && types[params.split("-")[0] ?? ""] ? [params] : [];
  return Object.values(params).flatMap(idsIn);
}

function applies(
  { Action, Resource, Condition = {} }: Statement,
  name: string,
  region: string,
  one: Resource,
): boolean {
  if (!Action.includes(name)) return false;
  const arn = `arn:aws:ec2:${region}:123456789012:${one.type}/id`;
  // A pattern has asterisks in place of the account and the id.
  const covers = (pattern: string): boolean => {
    const parts = arn.split(":");
    return pattern.split(":").every((part, at) => part === "*" || part.replace(/\/\*$/, "/id") === parts[at]);
  };
  if (Resource !== "*" && !Resource.some(covers)) return false;
  return Object.entries(Condition).every(([operator, keys]) =>
    Object.entries(keys).every(([key, value]) => {
      if (operator === "Null") return (one.context[key] === undefined) === (value === "true");
      if (operator === "StringEquals") return one.context[key] === value;
      throw new Error(`the operator ${operator} is not known here`);
    }),
  );
}
