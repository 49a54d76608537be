import type { IpPermission } from "@aws-sdk/client-ec2";

/** Converts EC2 permissions to rules in the form that the fact uses: one source each, sorted. */
export function rulesOf(permissions: readonly IpPermission[]): string[] {
  return permissions
    .flatMap((permission) => {
      const { IpRanges = [], Ipv6Ranges = [], UserIdGroupPairs = [], PrefixListIds = [] } = permission;
      const sources = [
        ...IpRanges.map(({ CidrIp }) => CidrIp),
        ...Ipv6Ranges.map(({ CidrIpv6 }) => CidrIpv6),
        ...UserIdGroupPairs.map(({ GroupId }) => GroupId),
        ...PrefixListIds.map(({ PrefixListId }) => PrefixListId),
      ];
      return sources.map((source = "") => `${whatOf(permission)} ${source}`);
    })
    .toSorted();
}

/** The protocol and ports of a permission. `-1` means every protocol or, for ICMP, every type. */
function whatOf({ IpProtocol = "-1", FromPort, ToPort }: IpPermission): string {
  if (IpProtocol === "-1") return "all all";
  if (FromPort === undefined || FromPort === -1 || (FromPort === 0 && ToPort === 65_535)) return `${IpProtocol} all`;
  return `${IpProtocol} ${FromPort === ToPort ? FromPort : `${FromPort}-${ToPort}`}`;
}

/** Converts a rule to an EC2 permission. */
export function permissionOf(rule: string): IpPermission {
  const [protocol = "", ports = "", source = ""] = rule.split(" ");
  return { ...portsOf(protocol, ports), ...sourceOf(source) };
}

function portsOf(protocol: string, ports: string): IpPermission {
  if (protocol === "all") return { IpProtocol: "-1" };
  if (ports === "all") {
    const isIcmp = protocol.startsWith("icmp");
    return { IpProtocol: protocol, FromPort: isIcmp ? -1 : 0, ToPort: isIcmp ? -1 : 65_535 };
  }
  const [from = "", to = from] = ports.split("-");
  return { IpProtocol: protocol, FromPort: Number(from), ToPort: Number(to) };
}

function sourceOf(source: string): IpPermission {
  if (source.startsWith("sg-")) return { UserIdGroupPairs: [{ GroupId: source }] };
  if (source.startsWith("pl-")) return { PrefixListIds: [{ PrefixListId: source }] };
  return source.includes(":") ? { Ipv6Ranges: [{ CidrIpv6: source }] } : { IpRanges: [{ CidrIp: source }] };
}
