/**
 * The one door for people who write tasks, roles, playbooks and inventories: `import { playbook, z } from "furrow"`.
 */
export { z } from "zod";
export type { TaskCall } from "./core/call.ts";
export type { CommonOptions, Retry, TaskOptions } from "./core/task-options.ts";
export { canonical, type Change, match, peek, type Wanted } from "./core/compare.ts";
export { FurrowError } from "./core/errors.ts";
export { type ControllerFact, type Fact, type FactPattern, type HostFact, type Json } from "./core/fact.ts";
export {
  block,
  type BlockOptions,
  type Composite,
  type Group,
  type NestedOptions,
  type Node,
  nested,
  on,
  once,
} from "./core/group.ts";
export {
  type Constructed,
  inventory,
  type Inventory,
  type InventoryDefinition,
  type InventoryExport,
  type NewHost,
} from "./core/inventory.ts";
export type { Connection, GroupEntry, HostEntry, Vars } from "./core/inventory-entries.ts";
export {
  type InventorySource,
  type LeftOut,
  type Origins,
  type SourceCache,
  type SourceContext,
  type SourceListing,
} from "./core/inventory-source.ts";
export { defineKind, type Kind } from "./core/kind.ts";
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
} from "./core/playbook.ts";
export { ran } from "./core/ran.ts";
export { type OrRef, Ref } from "./core/ref.ts";
export { Refusal, refuse } from "./core/refusal.ts";
export { composite, role } from "./core/role.ts";
export { isSecret, mapTexts, Secret } from "./core/secret.ts";
export { generated, secret } from "./core/secret-source.ts";
export { sha512Crypt } from "./core/sha512-crypt.ts";
export { run, shellQuote, type Step, type StepResult } from "./core/step.ts";
export { absent, type Absent, knownAfterApply, type KnownAfterApply } from "./core/symbols.ts";
export { type Task, task } from "./core/task.ts";
export type { Card, Poll, StepList } from "./core/task-definition.ts";
export { schedule } from "./core/schedule.ts";
export { absolutePath, mode, name, passwordHash, seconds, text, secretText } from "./core/schema.ts";
export { isOutdated, type Seen, seenOf, type Witness } from "./core/seen.ts";
export { absenceFacts, isToChange, watched, watchedFacts, type WatchedThing, watchedThings } from "./core/watched.ts";
export { contentHash } from "./core/content-hash.ts";
export * from "./facts/index.ts";
