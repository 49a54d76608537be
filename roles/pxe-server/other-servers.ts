import { type Node, refuse, task, z } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";
import type { Rack } from "./rack-fields.ts";

/** How long a probe waits for answers, in seconds. */
const waitSeconds = 4;

/**
 * Searches the rack's subnet for DHCP servers, as a machine would, and refuses every one that the vars do not name. The
 * server's own answers do not count: its broadcasts do not reach the server itself.
 */
export function otherServersNamed(rack: Rack, card: string): Node {
  const [first] = rack.nodes;
  // Some servers answer only machines that they know.
  const probes = ["random", ...(first === undefined ? [] : [first.mac])].map((mac) =>
    t.command(
      {
        command: [
          "nmap",
          "--script",
          "broadcast-dhcp-discover",
          "-e",
          card,
          "--script-args",
          `broadcast-dhcp-discover.timeout=${waitSeconds},broadcast-dhcp-discover.mac=${mac}`,
        ],
        readOnly: true,
      },
      { name: `ask ${card} for DHCP servers as ${mac === "random" ? "an unknown machine" : (first?.name ?? "")}` },
    ),
  );
  const [unknown, known] = probes;
  return [
    probes,
    unknown !== undefined &&
      knownServers({
        answers: unknown.output.map(({ stdout }) => stdout),
        asNode: known?.output.map(({ stdout }) => stdout) ?? "",
        card,
        allowed: [...rack.otherServers, rack.server],
        proxy: rack.dhcp === "proxy",
      }),
  ];
}

/** Refuses DHCP servers that the vars do not name. */
export const knownServers = task({
  name: "knownServers",
  summary: "Refuse DHCP servers that the vars do not name",
  params: z.strictObject({
    answers: z.string().describe("What nmap printed when it sent requests as an unknown machine"),
    asNode: z.string().describe("What nmap printed when it sent requests as a node"),
    card: z.string().describe("Interface from which nmap sent its requests"),
    allowed: z.array(z.string()).describe("Addresses of the servers that may answer"),
    proxy: z.boolean().describe("Whether another server must assign the addresses"),
  }),
  examples: [],
  title: ({ card }) => `no unknown DHCP server on ${card}`,
})
  .facts(() => ({}))
  .want(({ answers, asNode, card, allowed }) => {
    const unread = [answers, asNode].find((text) => !text.includes("Nmap done") || text.includes("ERROR:"));
    if (unread !== undefined) {
      return refuse({
        code: "no-probe",
        message: `cannot tell whether there is another DHCP server on ${card}`,
        current:
          unread.split("\n").find((line) => line.includes("ERROR:")) ?? (unread.trim() || "nmap printed nothing"),
        expected: "output of nmap's script broadcast-dhcp-discover",
        hint: `Run nmap --script broadcast-dhcp-discover -e ${card} on the host, and fix what it reports`,
      });
    }
    const others = serversIn(answers, asNode).filter((server) => !allowed.includes(server));
    if (others.length === 0) return {};
    return refuse({
      code: "other-dhcp-server",
      message: `another DHCP server answers on ${card}, so whether nodes boot would be left to chance`,
      current: others.join(", "),
      expected: allowed.length === 0 ? "no other server" : `none except ${allowed.join(", ")}`,
      hint: 'Switch it off; or list it in `otherServers` and set dhcp: "proxy", which lets it assign the addresses',
    });
  })
  .steps(() => [])
  .notes(({ answers, asNode, proxy }) => {
    if (!proxy) return [];
    const found = serversIn(answers, asNode);
    return [
      found.length === 0
        ? "no other DHCP server answers: the nodes would get no address and could not boot"
        : `the addresses come from ${found.join(", ")}`,
    ];
  });

/** Returns the addresses of the servers that answered, from the option in which each identifies itself. */
export function serversIn(...outputs: readonly string[]): string[] {
  const named = outputs.flatMap((text) =>
    [...text.matchAll(/Server Identifier: (\S+)/g)].map(([, server]) => server ?? ""),
  );
  return [...new Set(named)];
}
