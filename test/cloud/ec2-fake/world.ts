import { type Answer, ApiError, list, type Param, text, texts } from "./wire.ts";

/** Any resource that the API lists. `late`: the number of queries that will not show the resource yet. */
export interface Thing {
  readonly id: string;
  late: number;
  readonly tags: Map<string, string>;
}

/** A disk. */
export interface FakeVolume extends Thing {
  size: number;
  type: string;
  iops: number | undefined;
  throughput: number | undefined;
  encrypted: boolean;
  /** The key that encrypts the disk, as named in the request. */
  readonly key?: string | undefined;
  zone: string;
  state: string;
  instance: string | undefined;
  device: string | undefined;
  deleteOnTermination: boolean;
}

/** A machine. `next`: the machine's next states, one per query. */
export interface FakeInstance extends Thing {
  readonly serial: number;
  state: string;
  next: string[];
  type: string;
  readonly image: string;
  readonly key: string | undefined;
  groups: string[];
  readonly zone: string;
  readonly subnet: string;
  nested: boolean;
  readonly spot: boolean;
  readonly token: string | undefined;
  address: string;
  readonly privateAddress: string;
  readonly userData: string | undefined;
  profile: string | undefined;
  isProtected: boolean;
  hopLimit: number;
  /** The number of remaining queries for the machine's console output that return nothing. */
  silent: number;
}

export interface FakeGroup extends Thing {
  readonly name: string;
  readonly vpc: string;
  readonly description: string;
  rules: Set<string>;
}

export interface FakeKeyPair extends Thing {
  readonly name: string;
  readonly publicKey: string;
}

/** A VPC, with its main route table's default route. */
export interface FakeVpc extends Thing {
  readonly cidr: string;
  readonly isDefault: boolean;
  /** The gateway of the default route. */
  route: string | undefined;
}

export interface FakeSubnet extends Thing {
  readonly vpc: string;
  readonly cidr: string;
  readonly zone: string;
  readonly isDefault: boolean;
  publicAddresses: boolean;
}

/** A route table besides the VPCs' main ones, with the subnets that are associated with it. */
export interface FakeTable extends Thing {
  readonly vpc: string;
  readonly subnets: readonly string[];
  /** Routes in the form of the API, without the one for the VPC itself. */
  readonly routes: readonly Readonly<Record<string, string>>[];
}

/** An endpoint of a VPC for a service, like `ssm`. */
export interface FakeEndpoint extends Thing {
  readonly vpc: string;
  readonly service: string;
  readonly type: "Interface" | "Gateway";
  readonly state: string;
  readonly privateDns: boolean;
}

export interface FakeGateway extends Thing {
  vpc: string | undefined;
}

export interface FakeAddress extends Thing {
  readonly ip: string;
  instance: string | undefined;
  association: string | undefined;
}

export interface FakeImage {
  readonly id: string;
  readonly name: string;
  readonly owner: string;
  readonly architecture: string;
  readonly rootDevice: string;
  /** GiB. */
  readonly rootGb?: number;
  readonly created: string;
}

/** How the fake behaves where the API's behavior varies. */
export interface Behaviour {
  /**
   * The number of queries that do not yet return a new resource, because changes become visible with a delay
   * (https://docs.aws.amazon.com/ec2/latest/devguide/eventual-consistency.html).
   */
  readonly lateness: number;
  /** The number of resources on a page of a list, if the call does not limit it. */
  readonly pageSize: number;
  /** True if the first page of each list is empty, although others follow: the API allows that. */
  readonly emptyFirstPage: boolean;
  /**
   * What EC2 returns if a terminated machine's token is reused: an error since January 2025; before then, that machine.
   */
  readonly usedToken: "error" | "instance";
  /** The public address of the n-th machine. It must never be a real internet address. */
  readonly addressOf: (serial: number) => string;
  /** The machines' SSH host keys, as they are printed on the console. */
  readonly hostKeys: readonly string[];
  /** The number of initial queries for a machine's console output that return nothing. */
  readonly silence: number;
  /**
   * How a machine's console behaves: it shows its output only with Latest, as Nitro machines may; it refuses Latest, as
   * other machines do; or it accepts both.
   */
  readonly console: "latest" | "posted" | "both";
  /** Instance types without capacity. */
  readonly soldOut: readonly string[];
  /** The number of machines that the account may have. */
  readonly quota: number;
  /** The number of virtual processors that Service Quotas reports; undefined if it does not answer. */
  readonly processors: number | undefined;
  /** The number of VPCs that the account may have. */
  readonly mostVpcs: number;
  /** The number of elastic IP addresses that the account may have. */
  readonly mostAddresses: number;
  /** The zones in which the default VPC has a subnet; undefined if there is no default VPC. */
  readonly defaultZones: readonly string[] | undefined;
  /** Machine types that are offered only in zone `a`. */
  readonly onlyInZoneA: readonly string[];
  /** The account's default host management: its status, or undefined if the call is denied. */
  readonly hostManagement: "Default" | "Customized" | undefined;
  /** The actions that the account's policy does not allow. */
  readonly denied: readonly string[];
}

/** One region. */
export class World {
  readonly region: string;
  behaviour: Behaviour;
  readonly instances: FakeInstance[] = [];
  readonly volumes: FakeVolume[] = [];
  readonly groups: FakeGroup[] = [];
  readonly keyPairs: FakeKeyPair[] = [];
  readonly addresses: FakeAddress[] = [];
  readonly images: FakeImage[] = [];
  readonly vpcs: FakeVpc[] = [];
  readonly subnets: FakeSubnet[] = [];
  readonly gateways: FakeGateway[] = [];
  readonly tables: FakeTable[] = [];
  readonly endpoints: FakeEndpoint[] = [];
  /** For each client token, the params that it was used with, and the result. */
  readonly tokens = new Map<string, { readonly params: string; readonly id: string }>();
  #serial = 0;

  constructor(region: string, behaviour: Behaviour) {
    this.region = region;
    this.behaviour = behaviour;
    const seen = { late: 0, tags: new Map<string, string>() };
    if (behaviour.defaultZones !== undefined) {
      this.vpcs.push({ ...seen, id: "vpc-1", cidr: "172.31.0.0/16", isDefault: true, route: "igw-1" });
    }
    for (const [at, letter] of (behaviour.defaultZones ?? []).entries()) {
      const place = { vpc: "vpc-1", cidr: `172.31.${at * 16}.0/20`, zone: `${region}${letter}` };
      this.subnets.push({ ...seen, ...place, id: `subnet-${at + 1}`, isDefault: true, publicAddresses: true });
    }
    const image = { owner: "099720109477", architecture: "x86_64", rootDevice: "/dev/sda1", rootGb: 8 };
    const debian = { ...image, owner: "136693071363", rootDevice: "/dev/xvda" };
    this.images.push(
      { ...debian, id: "ami-debian", name: "debian-12-amd64-20261001", created: "2026-10-01T00:00:00.000Z" },
      { ...image, id: "ami-old", name: "ubuntu-noble-24.04-20260101", created: "2026-01-01T00:00:00.000Z" },
      { ...image, id: "ami-new", name: "ubuntu-noble-24.04-20261101", created: "2026-11-01T00:00:00.000Z" },
    );
  }

  /** Returns the next resource's number. */
  serial(): number {
    this.#serial += 1;
    return this.#serial;
  }

  /** A new id with a prefix: `i-…`. */
  id(sort: string): string {
    return `${sort}-${this.serial().toString(16).padStart(17, "0")}`;
  }

  /** Finds any resource by its id. */
  thing(id: string): Thing | undefined {
    const all: readonly Thing[] = [
      ...this.instances,
      ...this.volumes,
      ...this.groups,
      ...this.keyPairs,
      ...this.addresses,
      ...this.vpcs,
      ...this.subnets,
      ...this.gateways,
    ];
    return all.find((thing) => thing.id === id);
  }
}

/**
 * The resources that are visible now: a new resource stays hidden for a number of queries, and each call counts as one.
 */
export function shown<T extends Thing>(things: readonly T[]): T[] {
  return things.filter((thing) => {
    thing.late -= 1;
    return thing.late < 0;
  });
}

/** The tags that a request specifies for one type of resource. */
export function tagsOf(params: Param, sort: string): Map<string, string> {
  const own = list(params, "TagSpecification").filter((spec) => text(spec, "ResourceType") === sort);
  return new Map(
    own.flatMap((spec) => list(spec, "Tag").map((tag) => [text(tag, "Key") ?? "", text(tag, "Value") ?? ""])),
  );
}

/** Tags as the API lists them. */
export function tagSet(thing: Thing) {
  return [...thing.tags].map(([key, value]) => ({ key, value }));
}

/** True if a resource matches all filters of a query; `values` returns the resource's values for a filter's name. */
export function passes(
  params: Param,
  thing: Thing,
  values: Readonly<Record<string, string | readonly string[]>>,
): boolean {
  return list(params, "Filter").every((filter) => {
    const name = text(filter, "Name") ?? "";
    const tag = name.startsWith("tag:") ? (thing.tags.get(name.slice(4)) ?? []) : undefined;
    const has = name === "tag-key" ? [...thing.tags.keys()] : (tag ?? values[name]);
    if (has === undefined) throw new ApiError("InvalidParameterValue", `The filter '${name}' is invalid`);
    return texts(filter, "Value").some((pattern) => [has].flat().some((value) => glob(pattern, value)));
  });
}

/** Matches a value against a pattern as in the API's filters: `*` matches anything, `?` one character. */
export function glob(pattern: string, value: string): boolean {
  const source = pattern
    .replaceAll(/[$()+.[\\\]^{|}]/g, "\\$&")
    .replaceAll("*", ".*")
    .replaceAll("?", ".");
  return new RegExp(`^${source}$`).test(value);
}

/**
 * A page of resources, and the token of the next page
 * (https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-pagination.html).
 */
export function page<T>(
  params: Param,
  things: readonly T[],
  { behaviour }: World,
): { readonly part: readonly T[]; readonly next: string | undefined } {
  const token = text(params, "NextToken");
  if (token === undefined && behaviour.emptyFirstPage) return { part: [], next: "0" };
  const from = Number(token ?? "0");
  if (!Number.isInteger(from)) throw new ApiError("InvalidNextToken", "The specified token is invalid");
  const asked = text(params, "MaxResults");
  const most = asked === undefined ? behaviour.pageSize : Number(asked);
  if (asked !== undefined && (most < 5 || most > 1000)) {
    throw new ApiError("InvalidParameterValue", "MaxResults must be from 5 to 1000");
  }
  const to = from + most;
  return { part: things.slice(from, to), next: to < things.length ? String(to) : undefined };
}

/** A page of resources, in the form of a response. */
export function pageOf(world: World, params: Param, name: string, things: readonly Answer[]): Answer {
  const { part, next } = page(params, things, world);
  return { [name]: part, nextToken: next };
}

/** The result of an earlier call with the same token; undefined if the token is new. */
export function madeBefore(world: World, token: string | undefined, params: Param): string | undefined {
  if (token === undefined) return undefined;
  const before = world.tokens.get(token);
  if (before !== undefined && before.params !== JSON.stringify(params)) {
    throw new ApiError(
      "IdempotentParameterMismatch",
      "The request uses the same client token as a previous, but non-identical request",
    );
  }
  return before?.id;
}
