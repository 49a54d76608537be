import type { Json } from "../../../core/facts/fact.ts";
import type { CallStep } from "../../../core/host/step.ts";

/** A place in AWS: only a region, because the credentials are the controller's own. */
export interface Ec2Place {
  /** `eu-central-1`; if undefined, AWS_REGION or the AWS profile decides. */
  readonly region?: string | undefined;
}

/**
 * A question that furrow asks EC2. A resource is identified by its own name if it has one, otherwise by its Name tag.
 */
export type Ec2Question = Ec2Place &
  (
    | { readonly ask: "keyPair" | "instance" | "volume" | "address" | "internetGateway"; readonly name: string }
    /** The name of the machine with this id. */
    | { readonly ask: "holder"; readonly id: string }
    /** Whether the machine with this name is protected against termination. */
    | { readonly ask: "terminationProtection"; readonly name: string }
    /** `name` is an id or a Name tag. */
    | { readonly ask: "vpc" | "subnet"; readonly name: string }
    /** How machines in the subnet with this id or Name tag reach addresses outside it. */
    | { readonly ask: "wayOut"; readonly name: string }
    /** `vpc` is an id or a Name tag; if undefined, furrow looks for the group in every VPC. */
    | { readonly ask: "securityGroup"; readonly name: string; readonly vpc?: string | undefined }
    | { readonly ask: "zones" | "defaultVpc" | "addressQuota" | "vpcQuota" | "hostManagement" }
    | { readonly ask: "processorQuota"; readonly type: string; readonly spot: boolean }
    /** The zones that offer a machine type. */
    | { readonly ask: "typeZones"; readonly type: string }
    | { readonly ask: "image"; readonly image: Ec2ImageChoice }
    /** With `nested`, also asks which types can nest virtual machines, if this type cannot. */
    | { readonly ask: "machineType"; readonly type: string; readonly nested: boolean }
  );

/** An image: by its id, or an owner's newest image whose name matches a pattern. */
export type Ec2ImageChoice =
  | { readonly id: string }
  | { readonly owner: string; readonly name: string; readonly architecture: "x86_64" | "arm64" };

/** The tags of a resource, split into furrow's mark and the user's own tags. */
export interface Ec2Marks {
  /** False for resources that someone else created. */
  readonly ours: boolean;
  /** The user's own tags, without the Name tag and without tags that furrow or AWS set. */
  readonly tags: Readonly<Record<string, string>>;
}

/** A question as JSON, without its undefined fields. Equal questions are the same fact. */
export function ec2Request(question: Ec2Question): Json {
  return plain(question);
}

/** A step that performs one action in EC2. `label` is a human-readable description of the action. */
export function ec2Call(act: Ec2Act, label: string): CallStep {
  return { step: "call", driver: "ec2", request: plain(act), label };
}

function plain(value: object): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}

/**
 * The size and speed of a disk. An undefined field means EC2's default for a new disk, and no change for an existing
 * one.
 */
export interface Ec2DiskSize {
  readonly sizeGb: number;
  /** `gp3`, `io2`, … */
  readonly type: string;
  readonly iops?: number | undefined;
  /** MiB per second. */
  readonly throughput?: number | undefined;
}

/** A disk that is created with its machine. */
export interface Ec2LaunchDisk extends Ec2DiskSize {
  /** `/dev/sdf`; if undefined, this is the image's root disk. */
  readonly device?: string | undefined;
  readonly encrypted?: boolean | undefined;
  /** The key that the disk is encrypted with: an id, an ARN or an alias. */
  readonly kmsKey?: string | undefined;
  /** Whether the disk is deleted together with the machine. */
  readonly deleteOnTermination: boolean;
}

/** Everything that a machine is launched with. */
export interface Ec2Launch {
  readonly type: string;
  readonly image: Ec2ImageChoice;
  readonly keyPair?: string | undefined;
  readonly securityGroups: readonly string[];
  readonly vpc?: string | undefined;
  readonly subnet?: string | undefined;
  readonly zone?: string | undefined;
  readonly nested: boolean;
  readonly spot: boolean;
  readonly disks: readonly Ec2LaunchDisk[];
  readonly tags: Readonly<Record<string, string>>;
  /** The user data, which may be or contain a secret. */
  readonly userData?: string | undefined;
  /** The name of an instance profile. */
  readonly instanceProfile?: string | undefined;
  /** Whether the machine gets a public address; if undefined, the subnet decides. */
  readonly publicAddress?: boolean | undefined;
  readonly terminationProtection?: boolean | undefined;
  readonly metadataHopLimit?: number | undefined;
}

/**
 * An action that furrow performs in EC2. Resources are identified as in {@link Ec2Question}; `deadlineSeconds` limits
 * how long the action waits.
 */
export type Ec2Act = Ec2Place &
  (
    | { readonly act: "importKeyPair"; readonly name: string; readonly publicKey: string; readonly tags: Tags }
    | { readonly act: "deleteKeyPair"; readonly name: string; readonly id: SeenId }
    | {
        readonly act: "createSecurityGroup";
        readonly name: string;
        readonly vpc?: string | undefined;
        readonly description: string;
        readonly tags: Tags;
      }
    /** Rules have the same form as in `Ec2SecurityGroupState`. */
    | {
        readonly act: "setRules";
        readonly name: string;
        readonly id: SeenId;
        readonly vpc?: string | undefined;
        readonly add: readonly string[];
        readonly remove: readonly string[];
      }
    | {
        readonly act: "deleteSecurityGroup";
        readonly name: string;
        readonly id: SeenId;
        readonly vpc?: string | undefined;
      }
    | { readonly act: "setTags"; readonly id: string; readonly tags: Tags }
    | {
        readonly act: "launch";
        readonly name: string;
        readonly launch: Ec2Launch;
        readonly deadlineSeconds: number;
      }
    | {
        readonly act: "start" | "stop" | "readHostKeys";
        readonly name: string;
        readonly id: SeenId;
        readonly deadlineSeconds: number;
      }
    | {
        readonly act: "terminate";
        readonly name: string;
        readonly id: SeenId;
        /** The ids of the disks that may be deleted with the machine. */
        readonly disks: readonly string[];
        readonly deadlineSeconds: number;
      }
    /** Keeps the disks with these device names when the machine is deleted. */
    | { readonly act: "keepDisks"; readonly name: string; readonly id: SeenId; readonly devices: readonly string[] }
    | {
        readonly act: "alterInstance";
        readonly name: string;
        readonly id: SeenId;
        readonly vpc?: string | undefined;
        readonly type?: string | undefined;
        readonly nested?: boolean | undefined;
        readonly securityGroups?: readonly string[] | undefined;
        readonly instanceProfile?: string | undefined;
        readonly terminationProtection?: boolean | undefined;
        readonly metadataHopLimit?: number | undefined;
      }
    | {
        readonly act: "resizeDisk";
        readonly id: string;
        readonly size: Partial<Ec2DiskSize>;
        readonly deadlineSeconds: number;
      }
    | {
        readonly act: "createVolume";
        readonly name: string;
        readonly size: Ec2DiskSize;
        readonly encrypted: boolean;
        readonly kmsKey?: string | undefined;
        /** A zone. Alternatively, `instance` names the machine whose zone is used. */
        readonly zone?: string | undefined;
        readonly instance?: string | undefined;
        readonly tags: Tags;
        readonly deadlineSeconds: number;
      }
    | {
        readonly act: "attachVolume";
        readonly name: string;
        readonly id: SeenId;
        readonly instance: string;
        readonly instanceId: SeenId;
        readonly device: string;
        readonly deadlineSeconds: number;
      }
    | {
        readonly act: "detachVolume";
        readonly name: string;
        readonly id: SeenId;
        readonly instanceId: SeenId;
        readonly deadlineSeconds: number;
      }
    | { readonly act: "deleteVolume"; readonly name: string; readonly id: SeenId; readonly deadlineSeconds: number }
    | { readonly act: "allocateAddress"; readonly name: string; readonly tags: Tags }
    | {
        readonly act: "associateAddress";
        readonly name: string;
        readonly id: SeenId;
        readonly instance: string;
        readonly instanceId: SeenId;
      }
    | { readonly act: "disassociateAddress"; readonly name: string; readonly id: SeenId; readonly instanceId: SeenId }
    | { readonly act: "releaseAddress"; readonly name: string; readonly id: SeenId }
    | { readonly act: "createVpc"; readonly name: string; readonly cidr: string; readonly tags: Tags }
    | {
        readonly act: "createSubnet";
        readonly name: string;
        readonly vpc: string;
        readonly cidr: string;
        readonly zone?: string | undefined;
        readonly tags: Tags;
      }
    | {
        readonly act: "setPublicAddresses";
        readonly name: string;
        readonly id: SeenId;
        readonly publicAddresses: boolean;
      }
    | { readonly act: "createInternetGateway"; readonly name: string; readonly tags: Tags }
    | {
        readonly act: "attachInternetGateway" | "routeToInternet";
        readonly name: string;
        readonly id: SeenId;
        readonly vpc: string;
        readonly seenVpc: SeenId;
      }
    | { readonly act: "deleteVpc"; readonly name: string; readonly id: SeenId }
    | { readonly act: "deleteSubnet"; readonly name: string; readonly id: SeenId }
    | { readonly act: "deleteInternetGateway"; readonly name: string; readonly id: SeenId }
  );

/**
 * The id of a resource that the task saw; undefined if an earlier step or task of the same run creates the resource.
 */
export type SeenId = string | undefined;

type Tags = Readonly<Record<string, string>>;
