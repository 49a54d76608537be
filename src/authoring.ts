/**
 * The main entry point for authors of tasks, roles, playbooks and inventories: `import { playbook, z } from "furrow"`.
 */
export { z } from "zod";
export type { TaskCall } from "./core/authoring/call.ts";
export type { CommonOptions, Retry, TaskOptions } from "./core/authoring/task-options.ts";
export { canonical, type Change, match, peek, type Wanted } from "./core/facts/compare.ts";
export { FurrowError } from "./core/errors.ts";
export {
  type ControllerFact,
  exactly,
  type Fact,
  type FactPattern,
  type HostFact,
  type Json,
  mayRefuse,
  onlyRead,
} from "./core/facts/fact.ts";
export {
  block,
  type BlockOptions,
  type Composite,
  type CompositeCard,
  type Group,
  type NestedOptions,
  type Node,
  nested,
  on,
  once,
} from "./core/authoring/group.ts";
export {
  type Constructed,
  inventory,
  type Inventory,
  type InventoryDefinition,
  type InventoryExport,
  type NewHost,
} from "./core/inventory/inventory.ts";
export type { Connection, GroupEntry, HostEntry, Vars } from "./core/inventory/inventory-entries.ts";
export {
  type InventorySource,
  type LeftOut,
  type Origins,
  type SourceCache,
  type SourceContext,
  type SourceListing,
} from "./core/inventory/inventory-source.ts";
export {
  type Confirmation,
  type ConfirmContext,
  type HostFacts,
  play,
  type Play,
  playbook,
  type Playbook,
  type PlayContext,
  type PlayHost,
} from "./core/authoring/playbook.ts";
export { ran } from "./core/facts/ran.ts";
export { type AnyRef, type OrRef, Ref } from "./core/authoring/ref.ts";
export { Refusal, type RefusalReason, refuse } from "./core/authoring/refusal.ts";
export { composite, type CompositeTask, type Role, role, type RoleCard } from "./core/authoring/role.ts";
export { isSecret, mapTexts, Secret } from "./core/secrets/secret.ts";
export { generated, generatedKey, type GeneratedKey, secret } from "./core/secrets/secret-source.ts";
export { certificateDigest } from "./core/host/certificate-digest.ts";
export { scryptHash } from "./core/host/scrypt-hash.ts";
export { sha512Crypt } from "./core/host/sha512-crypt.ts";
export { run, shellQuote, type Step, type StepResult } from "./core/host/step.ts";
export { absent, type Absent, knownAfterApply, type KnownAfterApply } from "./core/facts/symbols.ts";
export { type Task, task } from "./core/authoring/task.ts";
export type { Card, Poll, StepList } from "./core/authoring/task-definition.ts";
export { schedule } from "./core/params/schedule.ts";
export {
  absolutePath,
  accountName,
  mode,
  name,
  passwordHash,
  seconds,
  text,
  secretText,
  secretUrl,
} from "./core/params/schema.ts";
export { isOutdated, type ProcessNotes, type Seen, seenAgain, seenOf } from "./core/facts/pending-restart.ts";
export {
  absenceFacts,
  isToChange,
  watched,
  watchedFacts,
  type WatchedThing,
  watchedThings,
} from "./core/facts/watched.ts";
export { contentHash } from "./core/host/content-hash.ts";

// Facts: files on a host.
export { access } from "./facts/files/rights/access.ts";
export type { Access } from "./core/facts/access.ts";
export { type Algorithm, digest, type Digest } from "./facts/files/digest.ts";
export { entries } from "./facts/files/entries.ts";
export { file, type FileValue } from "./facts/files/file.ts";
export type { FileState } from "./facts/files/file-state.ts";
export { fileTail, type FileTail } from "./facts/files/file-tail.ts";
export { removal, type Removal } from "./facts/files/removal.ts";
export { tree, type Tree, type TreeEntry } from "./facts/files/tree.ts";
export { program, type Program } from "./facts/system/program.ts";
export { type CommandEnd, type UserCommand, userCommand } from "./facts/system/user-command.ts";
// Facts: disks and mounts.
export { blockDevice, type BlockDevice } from "./facts/disks/block-device.ts";
export { type DiskEntry, disks } from "./facts/disks/disks.ts";
export { mountAt, type MountState } from "./facts/disks/mount.ts";
// Facts: packages.
export { packageState, type PackageState } from "./facts/packages/package.ts";
export { packageOffer, type PackageOffer } from "./facts/packages/package-offer.ts";
// Facts: services, accounts and the system.
export { unit, unitName } from "./facts/systemd/unit.ts";
export type { UnitState } from "./facts/systemd/unit-state.ts";
export { group, type GroupState, user, type UserState } from "./facts/accounts/account.ts";
export { type Crontab, crontab } from "./facts/system/crontab.ts";
export { hostFacts } from "./facts/system/host.ts";
export { rebootNeeded, type RebootNeeded } from "./facts/systemd/reboot-needed.ts";
export { cloudInit, type CloudInit } from "./facts/cloud/cloud-init.ts";
// Facts: networks and virtual machines.
export { port, type Port } from "./facts/network/port.ts";
export { hostHttp, type HostHttpQuestion } from "./facts/network/host-http.ts";
export { libvirtDomain, libvirtNet } from "./facts/libvirt/index.ts";
// Facts: read by the controller.
export { httpAnswer, type HttpAnswer, type HttpQuestion } from "./facts/network/http-answer.ts";
export { localFile, type LocalFile } from "./facts/controller/local-file.ts";
export { type LocalEntry, localTree, type LocalTree } from "./facts/controller/local-tree.ts";
export {
  type KubeconfigOf,
  kubernetes,
  type KubernetesAnswer,
  kubernetesCall,
  kubernetesDocument,
  type KubernetesError,
  kubernetesList,
  type KubernetesListAnswer,
  type PinnedKubeconfig,
} from "./facts/controller/kubernetes.ts";
export { operator, type Operator } from "./facts/controller/operator.ts";
