import { subnetOf } from "../../src/facts/catalogue.ts";
import type { Params, Subnet } from "./fields.ts";

type Reservation = Subnet["reservations"][number];

/**
 * The types of firmware that a client reports in DHCP's option 93 (RFC 4578 and IANA's "Processor Architecture Types"):
 * 0 is a BIOS; 7 and 9 both mean x86-64 UEFI, and firmware uses either; 16 is x86-64 UEFI that boots over HTTP.
 */
const architectures = [
  { tag: "bios", number: 0 },
  { tag: "uefi", number: 7 },
  { tag: "uefi", number: 9 },
  { tag: "http", number: 16 },
] as const;

/** Returns dnsmasq's configuration, which turns off dnsmasq's DNS server. */
export function renderConfig(p: Params): string {
  const interfaces = [...new Set(p.subnets.map((subnet) => subnet.interface))];
  const boots = p.subnets.some(({ reservations }) => reservations.some(({ boot }) => boot !== undefined));
  const lines = [
    "# Written by furrow: changes here are lost.",
    "port=0",
    "bind-dynamic",
    ...interfaces.map((name) => `interface=${name}`),
    ...(p.log === undefined ? [] : ["log-dhcp", `log-facility=${p.log}`]),
    ...(p.tftpRoot === undefined ? [] : ["enable-tftp", `tftp-root=${p.tftpRoot}`]),
    ...(p.tftpByClient ? ["tftp-unique-root=mac"] : []),
    ...(boots ? architectures.map(({ tag, number }) => `dhcp-match=set:${tag},option:client-arch,${number}`) : []),
    // iPXE identifies itself with its own option, 175.
    ...(boots ? ["dhcp-match=set:ipxe,175"] : []),
    // UEFI firmware that boots over HTTP accepts only an answer that names the same vendor class.
    ...(boots && p.programs?.http !== undefined ? ["dhcp-option-force=tag:http,60,HTTPClient"] : []),
    ...p.subnets.flatMap((subnet, at) => subnetLines(subnet, `net${at}`, p.programs)),
  ];
  return `${lines.join("\n")}\n`;
}

function subnetLines(subnet: Subnet, tag: string, programs: Params["programs"]): string[] {
  const [first, mask] = [firstOf(subnet), maskOf(subnet)] as const;
  const options: Readonly<Record<string, string>> = {
    // dnsmasq announces itself as the router unless this option is set; an empty option is not sent.
    "option:router": subnet.router ?? "",
    ...(subnet.dns.length > 0 && { "option:dns-server": subnet.dns.join(",") }),
    ...(subnet.ntp.length > 0 && { "option:ntp-server": subnet.ntp.join(",") }),
    ...(subnet.domain !== undefined && { "option:domain-name": subnet.domain }),
    ...Object.fromEntries(
      Object.entries(subnet.options).map(([name, value]) => [/^\d+$/.test(name) ? name : `option:${name}`, value]),
    ),
  };
  return [
    ...(subnet.proxy
      ? // Without this line, a proxy would answer every machine that asks for a boot file.
        [`dhcp-range=set:${tag},${first},proxy,${mask}`, `dhcp-ignore=tag:${subnet.interface},tag:!known`]
      : [
          `dhcp-range=set:${tag},${first},static,${mask},${reservedSeconds}s`,
          ...subnet.pools.map(
            ({ from, to, leaseSeconds }) => `dhcp-range=set:${tag},${from},${to},${mask},${leaseSeconds}s`,
          ),
        ]),
    ...Object.entries(options).map(
      ([name, value]) => `dhcp-option=${[`tag:${tag}`, name, ...(value === "" ? [] : [value])].join(",")}`,
    ),
    ...subnet.reservations.flatMap((one) => reservationLines(one, subnet, programs)),
  ];
}

/** The lease time of a reserved address: a node that misses a renewal gets the same address anyway. */
const reservedSeconds = 43_200;

function reservationLines(one: Reservation, { proxy }: Subnet, programs: Params["programs"]): string[] {
  const tag = `host-${one.name}`;
  const host = [
    "dhcp-host=" + one.mac,
    `set:${tag}`,
    ...(one.address === undefined || proxy ? [] : [one.address]),
    one.name,
  ];
  return [host.join(","), ...(one.boot === undefined ? [] : bootLines(one.boot, tag, proxy, programs ?? {}))];
}

/**
 * Each line requires the tags of the client and of its firmware: an unknown client and a client with different firmware
 * get no boot file. Every client has its own script.
 */
function bootLines(
  boot: NonNullable<Reservation["boot"]>,
  tag: string,
  proxy: boolean,
  programs: NonNullable<Params["programs"]>,
): string[] {
  const script = `dhcp-boot=tag:ipxe,tag:${tag},tag:${boot.firmware},${boot.script}`;
  const file = programs[boot.firmware];
  if (proxy) {
    const kinds = boot.firmware === "bios" ? ["x86PC"] : ["X86-64_EFI", "BC_EFI"];
    return [
      script,
      ...(file === undefined ? [] : kinds.map((kind) => `pxe-service=tag:!ipxe,tag:${tag},${kind},"${tag}",${file}`)),
    ];
  }
  return [
    script,
    ...(file === undefined ? [] : [`dhcp-boot=tag:!ipxe,tag:${tag},tag:${boot.firmware},${file}`]),
    ...(boot.firmware === "bios" || programs.http === undefined
      ? []
      : [`dhcp-boot=tag:!ipxe,tag:${tag},tag:http,${programs.http}`]),
  ];
}

function firstOf({ network }: Subnet): string {
  return dotted(subnetOf(network)?.first ?? 0);
}

function maskOf({ network }: Subnet): string {
  return dotted(2 ** 32 - 2 ** (32 - Number(network.split("/")[1])));
}

function dotted(number: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join(".");
}
