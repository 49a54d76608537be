/** What one machine requested, in one exchange with the DHCP server. */
export interface Exchange {
  /** Position of the exchange's first line in the log. */
  readonly at: number;
  readonly mac: string;
  /** Who sent the request: the machine's firmware, iPXE, or an operating system. */
  readonly by: "firmware" | "ipxe" | "system";
  /** The firmware's architecture, from DHCP option 93; undefined if it sent none. */
  readonly firmware: "bios" | "uefi" | "http" | "other" | undefined;
  /** True if the server answered. */
  readonly answered: boolean;
}

/** A file that the server sent over TFTP. */
export interface Sent {
  readonly at: number;
  readonly address: string;
  readonly file: string;
}

/** The parsed content of dnsmasq's log. */
export interface DhcpLog {
  readonly exchanges: readonly Exchange[];
  readonly sent: readonly Sent[];
}

/** The lines that {@link readLog} understands, as an extended regular expression for grep. */
export const usefulLines = String.raw` (DHCP(DISCOVER|OFFER|REQUEST|ACK)|PXE)\(| vendor class: | tags: |dnsmasq-tftp.* sent `;

type Draft = { -readonly [K in keyof Exchange]: Exchange[K] };

/** Reads dnsmasq's log (with log-dhcp): each line of an exchange begins with the exchange's number. */
export function readLog(text: string): DhcpLog {
  const drafts = new Map<string, Draft>();
  const all: Draft[] = [];
  const sent: Sent[] = [];
  for (const [at, line] of text.split("\n").entries()) {
    const file = /dnsmasq-tftp\S* sent (\S+) to (\S+)$/.exec(line);
    if (file) sent.push({ at, file: file[1] ?? "", address: file[2] ?? "" });
    const [, number = "", said = ""] = /dnsmasq-dhcp\S* (\d+) (.*)$/.exec(line) ?? [];
    if (number === "") continue;
    const found = drafts.get(number);
    const draft: Draft = found ?? { at, mac: "", by: "system", firmware: undefined, answered: false };
    if (found === undefined) {
      drafts.set(number, draft);
      all.push(draft);
    }
    read(draft, said);
  }
  return { exchanges: all.filter(({ mac }) => mac !== ""), sent };
}

/** Adds the content of one log line to its exchange. */
function read(draft: Draft, said: string): void {
  const client = /^vendor class: (PXE|HTTP)Client(?::Arch:(\d+))?/.exec(said);
  if (client) {
    if (draft.by === "system") draft.by = "firmware";
    draft.firmware = client[2] === undefined ? undefined : architecture(Number(client[2]));
  }
  const tags = /^tags: (.*)$/.exec(said)?.[1]?.split(", ") ?? [];
  if (tags.includes("ipxe")) draft.by = "ipxe";
  const asked = /^(?:DHCPDISCOVER|DHCPREQUEST|PXE)\(\S+\) (?:\S+ )?((?:[\da-f]{2}:){5}[\da-f]{2})( .*)?$/.exec(said);
  if (asked) draft.mac = asked[1] ?? "";
  if (/^(DHCPOFFER|DHCPACK)\(/.test(said) || (said.startsWith("PXE(") && /\bproxy$/.test(said))) draft.answered = true;
}

/** Names an architecture (IANA, "Processor Architecture Types"). */
function architecture(number: number): Exchange["firmware"] {
  if (number === 0) return "bios";
  if (number === 7 || number === 9) return "uefi";
  return number === 16 ? "http" : "other";
}

const words: Readonly<Record<string, string>> = {
  bios: "BIOS firmware",
  uefi: "UEFI firmware",
  http: "UEFI firmware that boots over HTTP",
  other: "firmware of an architecture other than x86-64",
};

/** Describes who asked: `UEFI firmware`. */
export function askerOf({ by, firmware }: Pick<Exchange, "by" | "firmware">): string {
  if (by === "ipxe") return "iPXE";
  return (firmware === undefined ? undefined : words[firmware]) ?? (by === "firmware" ? "its firmware" : "a system");
}

/** Returns one line for each machine that sent a request but is not a node. */
export function strangers(log: DhcpLog, known: readonly string[]): string[] {
  const macs = [...new Set(log.exchanges.map(({ mac }) => mac))].filter((mac) => !known.includes(mac));
  return macs.map((mac) => {
    const own = log.exchanges.filter((one) => one.mac === mac);
    const last = own.at(-1);
    const got = own.some(({ answered }) => answered) ? "an address from a pool, and nothing to boot" : "nothing";
    return `${mac} is not a node: ${last ? askerOf(last) : ""} asked ${own.length === 1 ? "once" : `${own.length} times`}, and got ${got}`;
  });
}
