export { overlap, subnetOf, ipv4Number } from "../network/ipv4.ts";
export { isActiveState, isSaved, libvirtDomain, type LibvirtDomain } from "./domain.ts";
export {
  type DomainConfig,
  type DomainDisk,
  type DomainInterface,
  type DomainVnc,
  machineFamily,
} from "./domain-config.ts";
export { domainXml } from "./domain-xml.ts";
export type { WantedDomainConfig } from "./wanted-domain.ts";
export { type ImageUse, type ImageUses, imageUses, type LostChain } from "./image-uses.ts";
export { livePaths } from "./live.ts";
export { isIdOrUuid, isUuid } from "./names.ts";
export { libvirtNet, type LibvirtNet } from "./net.ts";
export { type DhcpConfig, type DhcpHost, type NetConfig } from "./net-config.ts";
export { dhcpHostElement, dhcpRangeElement, netXml, type WantedNetConfig } from "./net-xml.ts";
export { type DomainClaims, type LibvirtOverview, libvirtOverview, type NetClaims } from "./overview.ts";
export { libvirtObstacle, libvirtUnits, unitsInDoubt, usersOfNet, virshProgram } from "./reach.ts";
export { connection as libvirtConnection } from "./script.ts";
