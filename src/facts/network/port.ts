import { FurrowError } from "../../core/errors.ts";
import type { HostFact } from "../../core/facts/fact.ts";
import { ask, defineKind, type NumberedQuestion } from "../../core/facts/kind.ts";
import { shellQuote } from "../../core/host/step.ts";

/** Whether a TCP connection can be made. */
export interface Port {
  readonly open: boolean;
}

/** The time limit in seconds for one connection. */
const limitSeconds = 3;

/**
 * Asks whether the host can make a TCP connection to an address and port; the connection is closed immediately.
 *
 * @param device the host's network device that the route must use. If the route uses another device, or if there is no
 *   route, the port is treated as closed and no connection is attempted: while the host's own network is down, a
 *   private address may belong to an unrelated machine
 */
export function port(address: string, number: number, device?: string): HostFact<Port> {
  return ask(portKind, [address, number, ...(device === undefined ? [] : [device])].join(" "));
}

/**
 * TCP ports, tested by opening and closing a connection: with bash's `/dev/tcp`, `nc -z`, or curl's `telnet:` (which
 * stays connected until its time limit, and reports when it connected). The script uses the first of these that the
 * host has.
 */
export const portKind = defineKind<Port>({
  name: "port",
  summary: "Whether the host can make a TCP connection to an address and port",
  facets: {},
  neverAhead: true,
  read: (questions) => questions.map(askOne).join("\n"),
  parse({ open }, { key }) {
    if (open === undefined)
      throw new FurrowError("E_FACT", { what: `could not find out whether the port can be reached: ${key}` });
    return { open: open === "yes" };
  },
  print: ({ open }) => ({ open: open ? "yes" : "no" }),
});

function askOne({ number, key }: NumberedQuestion): string {
  const [address = "", port = "", device] = key.split(" ");
  const quoted = shellQuote(address);
  const inUrl = shellQuote(`telnet://${address.includes(":") ? `[${address}]` : address}:${port}`);
  return `(${
    device === undefined
      ? ""
      : `case $(ip route get ${quoted} 2>/dev/null) in *${shellQuote(` dev ${device} `)}*) ;; *) echo '${number} open=no'; exit 0 ;; esac
`
  }if command -v bash >/dev/null && command -v timeout >/dev/null; then
timeout ${limitSeconds} bash -c 'exec 3<>"/dev/tcp/$0/$1"' ${quoted} ${port} </dev/null >/dev/null 2>&1
elif command -v nc >/dev/null; then nc -z -w ${limitSeconds} ${quoted} ${port} </dev/null >/dev/null 2>&1
elif command -v curl >/dev/null; then
t=$(curl -s -o /dev/null -w '%{time_connect}' --max-time ${limitSeconds} ${inUrl} </dev/null 2>/dev/null); [ -n "\${t#0.000000}" ]
else echo '${number} !the host needs bash, nc or curl to test a port'; exit 0; fi
if [ $? -eq 0 ]; then echo '${number} open=yes'; else echo '${number} open=no'; fi)`;
}
