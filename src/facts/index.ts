export { access, type Access } from "./access.ts";
export { acceptance, type Acceptance, askedLength, hasContent } from "./acceptance.ts";
export { holderOf, type NumberHolder } from "./account-number.ts";
export { group, type GroupState, user, type UserState } from "./account.ts";
export { blockDevice, type BlockDevice, type BlockLayout, type Partition, type Volume } from "./block-device.ts";
export { blockFunctions } from "./block-device-script.ts";
export { type Crontab, crontab } from "./crontab.ts";
export { derivedUuid } from "./derived-uuid.ts";
export {
  areasHash,
  contentAreas,
  contentFunctions,
  diskContent,
  type DiskContent,
  type Thoroughness,
} from "./disk-content.ts";
export { type Algorithm, digest, type Digest } from "./digest.ts";
export { diskImage, type DiskImage } from "./disk-image.ts";
export { type DiskEntry, disks } from "./disks.ts";
export { file, type FileState, type FileValue } from "./file.ts";
export { fstabEntries, type FstabEntry, fstabField, fstabWith } from "./fstab.ts";
export {
  type Extent,
  gptAreas,
  gptExtents,
  type GptLayout,
  partitionSpan,
  tableSectors,
  tableState,
  type TableState,
} from "./gpt.ts";
export * from "./gce/index.ts";
export { httpAnswer, type HttpAnswer, type HttpQuestion } from "./http-answer.ts";
export { ownSysctlFile, ownSysctlText, runningHostname, sysctlPath, sysctlValue } from "./kernel.ts";
export { type LaterSysctl, laterSysctl } from "./sysctl-later.ts";
export { kubernetes, type KubernetesAnswer, kubernetesCall } from "./kubernetes.ts";
export * from "./libvirt/index.ts";
export { localFile, type LocalFile, sealedLocalFile, type SealedLocalFile } from "./local-file.ts";
export { localTexts, type LocalEntry, localTree, type LocalTree, matchesPattern } from "./local-tree.ts";
export { mountUse, type MountUse } from "./mount-use.ts";
export { flagsOf, mountAt, type MountFlag, type MountState } from "./mount.ts";
export { armorKey, keyFingerprints, plainFingerprint } from "./openpgp.ts";
export { packageDependents, type PackageDependents } from "./package-dependents.ts";
export { packageIndexRenewal, type PackageIndexRenewal } from "./package-index-renewal.ts";
export { freshIndex, isFresh, packageIndexState, type PackageIndexState } from "./package-index.ts";
export { type Manager, type ManagerName, managers, packageManager } from "./packaging.ts";
export { indexNotes } from "./package-index-script.ts";
export { packageOffer, type PackageOffer } from "./package-offer.ts";
export { offerFunctions } from "./package-offer-script.ts";
export { packagePlan, type PackagePlan, type PackageRequest } from "./package-plan.ts";
export { dryFunctions } from "./package-plan-script.ts";
export { alongFunctions, twiceFunction } from "./package-script.ts";
export { packageState, type PackageState } from "./package.ts";
export { nftNotes, nftSourceHash, type NftTable, nftTable } from "./nft-table.ts";
export { program, type Program } from "./program.ts";
export { repoFolders, repoSection, type RepoSection } from "./repo-section.ts";
export { rpmKey, type RpmKey } from "./rpm-key.ts";
export { moveFunction } from "../core/move.ts";
export { stampFunctions, stampPath } from "../core/stamp.ts";
export { byCode, hashLimit, tree, type Tree, type TreeEntry } from "./tree.ts";
export { dropInFolder, ownDefinition, ownUnitFiles } from "./unit-files.ts";
export { printNotes, unit, unitName, unitNotes, type UnitState } from "./unit.ts";
export { type CommandEnd, type UserCommand, userCommand } from "./user-command.ts";
export { userUse, type UserUse } from "./user-use.ts";
export { hostFacts } from "./host.ts";
export { type RancherAnswer, rancherCall, rancherCluster, type RancherQuestion } from "./rancher.ts";
export { isProtected } from "./protected-path.ts";
export { removal, type Removal } from "./removal.ts";
export { rebootNeeded, type RebootNeeded } from "./reboot-needed.ts";
export { hostHttp, type HostHttpQuestion } from "./host-http.ts";
export { cloudInit, type CloudInit } from "./cloud-init.ts";
export { port, type Port } from "./port.ts";
export { directoryFunctions, unpacked, type Unpacked, unpackedPath } from "./unpacked.ts";
export * from "./ec2/index.ts";
export { entries } from "./entries.ts";
export { fileTail, type FileTail } from "./file-tail.ts";
export { filtered, type Filtered } from "./filtered.ts";
