/**
 * All exports of the facts that the catalogue's tasks use, including those that no other tasks need. Users' tasks
 * import from "furrow" instead.
 */
export { access } from "./files/rights/access.ts";
export { removable } from "./files/rights/removable.ts";
export { acceptance, type Acceptance, askedLength, hasContent } from "./system/acceptance.ts";
export { apparmorProfile, type ApparmorProfile } from "./system/apparmor.ts";
export { allows, pathRules } from "./system/apparmor-rules.ts";
export { holderOf, type NumberHolder } from "./accounts/account-number.ts";
export { group, type GroupState, user, type UserState } from "./accounts/account.ts";
export { blockDevice, type BlockDevice, type BlockLayout, type Partition, type Volume } from "./disks/block-device.ts";
export { blockFunctions } from "./disks/block-device-script.ts";
export { type Authority, authorityIn, type NoAuthority } from "./system/authority.ts";
export { type Crontab, crontab } from "./system/crontab.ts";
export { etcdSnapshot, type EtcdSnapshot, etcdSnapshotFolder } from "./system/etcd-snapshot.ts";
export { derivedUuid } from "./disks/derived-uuid.ts";
export {
  areasHash,
  contentAreas,
  contentFunctions,
  diskContent,
  type DiskContent,
  type Thoroughness,
} from "./disks/disk-content.ts";
export { type Algorithm, digest, type Digest } from "./files/digest.ts";
export { diskImage, type DiskImage } from "./disks/disk-image.ts";
export { type DiskEntry, disks } from "./disks/disks.ts";
export { file, type FileValue } from "./files/file.ts";
export { hiddenText } from "./files/hidden-text.ts";
export {
  behindLinks,
  type DirectoryObstacle,
  directoryObstacle,
  missingDirectory,
  obstacleText,
} from "./files/linked-directory.ts";
export { type FileState, fileText } from "./files/file-state.ts";
export { parentOf } from "../core/facts/parent.ts";
export { fstabEntries, type FstabEntry, fstabField, fstabWith } from "./disks/fstab.ts";
export { withoutDiscard } from "./disks/fstab-discard.ts";
export { discardMounts, type DiscardMounts } from "./disks/discard-mounts.ts";
export {
  type Extent,
  gptAreas,
  gptExtents,
  type GptLayout,
  partitionSpan,
  tableSectors,
  tableState,
  type TableState,
} from "./disks/own-gpt.ts";
export * from "./cloud/gce/index.ts";
export { httpAnswer, type HttpAnswer, type HttpQuestion } from "./network/http-answer.ts";
export { selinuxLabel, type SelinuxLabel } from "./system/selinux.ts";
export { ownSysctlFile, ownSysctlText, runningHostname, sysctlPath, sysctlValue } from "./system/kernel.ts";
export { type LaterSysctl, laterSysctl } from "./system/sysctl-later.ts";
export {
  type KubeContainer,
  type KubeExecPod,
  kubeExecPods,
  type KubeExecPods,
  type KubeExecWhere,
  type KubeRan,
  kubeRun,
  kubeTried,
} from "./controller/kube-exec.ts";
export {
  acceptKubeconfig,
  keptHostKeys,
  kubeconfigFile,
  type KubeconfigFile,
  type ReachedServer,
  removeHostKeys,
  removeKubeconfig,
  missingKubeconfigHint,
  otherKubeconfigHint,
  replacedKubeconfigHint,
} from "./controller/kubeconfig-file.ts";
export * from "./controller/argo-cluster.ts";
export * from "./controller/certificate.ts";
export * from "./controller/cloud-credentials.ts";
export * from "./controller/kube-documents.ts";
export * from "./controller/kube-kept.ts";
export * from "./controller/kube-kind.ts";
export * from "./controller/kube-not-empty.ts";
export * from "./controller/kube-object.ts";
export { kubeGiveBack, type KubeOwner, kubeOwners } from "./controller/kube-owners.ts";
export * from "./controller/kube-pods.ts";
export * from "./controller/kube-scale.ts";
export * from "./controller/kube-seen.ts";
export * from "./controller/kube-volumes.ts";
export {
  kubernetes,
  type KubernetesAnswer,
  kubernetesCall,
  kubernetesTrial,
  type KubernetesTrial,
} from "./controller/kubernetes.ts";
export { isLoopback } from "../core/inventory/loopback.ts";
export { settingHash } from "./controller/setting-hash.ts";
export * from "./libvirt/index.ts";
export { localFile, type LocalFile, sealedLocalFile, type SealedLocalFile } from "./controller/local-file.ts";
export { localTexts, type LocalEntry, localTree, type LocalTree, matchesPattern } from "./controller/local-tree.ts";
export { mountUse, type MountUse } from "./disks/mount-use.ts";
export { flagsOf, mountAt, type MountFlag, type MountState } from "./disks/mount.ts";
export { armorKey, keyFingerprints, plainFingerprint } from "./packages/openpgp.ts";
export { packageDependents, type PackageDependents } from "./packages/package-dependents.ts";
export { packageIndexRenewal, type PackageIndexRenewal } from "./packages/package-index-renewal.ts";
export { freshIndex, isFresh, packageIndexState, type PackageIndexState } from "./packages/package-index.ts";
export { type Manager, type ManagerName, managers, packageManager } from "./packages/packaging.ts";
export { indexNotes } from "./packages/package-index-script.ts";
export { packageOffer, type PackageOffer } from "./packages/package-offer.ts";
export { offerFunctions } from "./packages/package-offer-script.ts";
export { packagePlan, type PackagePlan, type PackageRequest } from "./packages/package-plan.ts";
export { dryFunctions } from "./packages/package-plan-script.ts";
export { alongFunctions, twiceFunction } from "./packages/package-script.ts";
export { packageState, type PackageState } from "./packages/package.ts";
export { firewalld, type Firewalld, type FirewalldZone, memberNames, type Members } from "./network/firewalld.ts";
export { nftNotes, nftSourceHash, type NftTable, nftTable } from "./network/nft-table.ts";
export { program, type Program } from "./system/program.ts";
export { repoFolders, repoSection, type RepoSection } from "./packages/repo-section.ts";
export { rpmKey, type RpmKey } from "./packages/rpm-key.ts";
export { minutesOf } from "../core/params/schedule-fields.ts";
export { withoutUrlSecrets } from "../core/secrets/url-secrets.ts";
export { accessFunction } from "../core/host/access.ts";
export { moveFunction } from "../core/host/move.ts";
export { type Undo, undoSteps } from "../core/host/undo.ts";
export { stampFunctions, stampPath } from "../core/host/stamp.ts";
export { byCode, entryIn, hashLimit, tree, type Tree, type TreeEntry } from "./files/tree.ts";
export { dropInFolder, ownDefinition, ownUnitFiles } from "./systemd/unit-files.ts";
export { printNotes, unit, unitName, unitNotes } from "./systemd/unit.ts";
export type { UnitState } from "./systemd/unit-state.ts";
export { type CommandEnd, type UserCommand, userCommand } from "./system/user-command.ts";
export { userUse, type UserUse } from "./accounts/user-use.ts";
export { hostFacts } from "./system/host.ts";
export { isZoneName, nearestZone } from "./system/time-zones.ts";
export {
  ipmiPowerCall,
  ipmiPowerOf,
  type MachinePower,
  type PowerChange,
  redfishPowerCall,
  redfishPowerOf,
} from "./controller/machine-power.ts";
export { type RancherAnswer, rancherCall, rancherCluster, type RancherQuestion } from "./controller/rancher.ts";
export { isProtected } from "./files/protected-path.ts";
export { removal, type Removal } from "./files/removal.ts";
export { rebootNeeded, type RebootNeeded } from "./systemd/reboot-needed.ts";
export { bridgeVlans, type BridgeVlans } from "./network/bridge-vlans.ts";
export { hostHttp, type HostHttpQuestion } from "./network/host-http.ts";
export { cloudInit, type CloudInit } from "./cloud/cloud-init.ts";
export { port, type Port } from "./network/port.ts";
export { sshPort, type SshReached, sshReady, type SshTunnel, type SshWay } from "./network/ssh-way.ts";
export { directoryFunctions, unpacked, type Unpacked, unpackedPath } from "./files/unpacked.ts";
export * from "./cloud/azure/index.ts";
export * from "./cloud/digitalocean/index.ts";
export * from "./cloud/ec2/index.ts";
export { entries } from "./files/entries.ts";
export { fileTail, type FileTail } from "./files/file-tail.ts";
export { filtered, type Filtered } from "./files/filtered.ts";
