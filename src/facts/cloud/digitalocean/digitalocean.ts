import type { ControllerFact, Json } from "../../../core/facts/fact.ts";
import type { CallStep } from "../../../core/host/step.ts";
import type { DigitalOceanPlace, DigitalOceanValues } from "./values.ts";

function digitalOceanFact<K extends keyof DigitalOceanValues>(
  get: K,
  { name, region, owner, token }: DigitalOceanPlace,
): ControllerFact<DigitalOceanValues[K]> {
  return { driver: "digitalOcean", request: plain({ get, region, name, owner, token }) };
}

/** The tags of a new resource, or the tags to add to an existing one. */
type Tags = readonly string[];

/**
 * An action that furrow performs in DigitalOcean. It acts on an existing resource only if the resource belongs to
 * `owner`.
 */
export type DigitalOceanAct = DigitalOceanPlace & { readonly owner: string } & (
    | { readonly act: "createSshKey"; readonly publicKey: string }
    | { readonly act: "deleteSshKey" }
    | { readonly act: "createVolume"; readonly region: string; readonly sizeGb: number; readonly tags: Tags }
    | { readonly act: "growVolume"; readonly region: string; readonly sizeGb: number }
    | { readonly act: "tagVolume"; readonly region: string; readonly tags: Tags }
    | { readonly act: "deleteVolume" }
    | {
        readonly act: "createFirewall" | "changeFirewall";
        readonly inbound: readonly string[];
        readonly outbound: readonly string[];
        readonly tags: Tags;
      }
    | { readonly act: "deleteFirewall" }
    | {
        readonly act: "createDroplet";
        readonly region: string;
        readonly size: string;
        readonly image: string;
        readonly publicKeys: readonly string[];
        readonly volumes: readonly string[];
        readonly tags: Tags;
        readonly vpc?: string | undefined;
      }
    | { readonly act: "attachVolume"; readonly region: string; readonly volume: string }
    | { readonly act: "tagDroplet"; readonly tags: Tags }
    | { readonly act: "resizeDroplet"; readonly size: string }
    | { readonly act: "awaitDroplet" }
    | { readonly act: "startDroplet" }
    | { readonly act: "deleteDroplet" }
  );

/** Creates the facts and steps of DigitalOcean tasks. */
export const digitalOcean = {
  droplet: (place: DigitalOceanPlace) => digitalOceanFact("droplet", place),
  volume: (place: DigitalOceanPlace) => digitalOceanFact("volume", place),
  ownKey: (place: DigitalOceanPlace) => digitalOceanFact("ownKey", place),
  sshKey: (place: DigitalOceanPlace) => digitalOceanFact("sshKey", place),
  firewall: (place: DigitalOceanPlace) => digitalOceanFact("firewall", place),
  size: (place: DigitalOceanPlace) => digitalOceanFact("size", place),
  region: (place: DigitalOceanPlace) => digitalOceanFact("region", place),
  image: (place: DigitalOceanPlace) => digitalOceanFact("image", place),
  /** A single action. The step waits until the API shows the result. */
  call: (act: DigitalOceanAct, label: string): CallStep => ({
    step: "call",
    driver: "digitalOcean",
    request: plain({ ...act }),
    label,
  }),
  /** All DigitalOcean facts, because a change to one resource can also change the facts about others. */
  all: "digitalOcean:**",
} as const;

/**
 * The tag that furrow gives to the droplets and volumes that it creates, and by which its firewalls select droplets.
 */
export function digitalOceanOwner(owner: string): string {
  return `furrow:${owner}`;
}

/** The name under which furrow registers a public key. A key has neither tags nor a description. */
export function digitalOceanKeyName(name: string): string {
  return `${name} (made by furrow)`;
}

/** A request as JSON, without undefined fields. The token stays a secret: only the driver reveals it. */
function plain({ token, ...rest }: Readonly<Record<string, unknown>> & Pick<DigitalOceanPlace, "token">): Json {
  const sealed = token === undefined ? {} : { token: String(token) };
  return { ...(JSON.parse(JSON.stringify(rest)) as Readonly<Record<string, Json>>), ...sealed };
}
