import {
  type Absent,
  absent,
  file,
  type FileState,
  mayRefuse,
  onlyRead,
  peek,
  refuse,
  type Refusal,
  task,
} from "../../src/authoring.ts";
import { behindLinks, directoryObstacle, parentOf } from "../../src/facts/catalogue.ts";
import { acceptedFact, notAccepted, noValidator } from "../file/accepted.ts";
import { noDirectory } from "../file/obstacle.ts";
import { params } from "./params.ts";
import { renderConfig } from "./render.ts";

/**
 * Manages the configuration of the DHCP server dnsmasq. dnsmasq checks the new file before it replaces the old one. To
 * start the server, use `service`, and list this task in its `restartOn` to restart the server after changes.
 */
export const dhcpServer = task({
  name: "dhcpServer",
  summary: "Configure a DHCP and network boot server (dnsmasq), which the service task starts and restarts",
  params,
  examples: [
    {
      subnets: [
        {
          network: "192.168.0.0/24",
          interface: "eno1",
          router: "192.168.0.1",
          dns: ["192.168.0.2"],
          pools: [{ from: "192.168.0.180", to: "192.168.0.220" }],
          reservations: [{ name: "printer", mac: "52:54:00:00:00:07", address: "192.168.0.7" }],
        },
      ],
      statics: { "harvester-1": "192.168.0.171", "the cluster": "192.168.0.175" },
    },
    {
      subnets: [
        {
          network: "192.168.0.0/24",
          interface: "eno1",
          proxy: true,
          reservations: [
            {
              name: "node-1",
              mac: "52:54:00:00:00:01",
              boot: { firmware: "uefi", script: "http://192.168.0.90/nodes/node-1.ipxe" },
            },
          ],
        },
      ],
      programs: { uefi: "ipxe.efi" },
      tftpRoot: "/srv/tftp",
    },
  ],
  title: (p) => `dhcpServer ${p.subnets.map(({ network }) => network).join(" ")}`,
  disturbs: () => [],
})
  .facts((p) => ({
    config: file(p.path, ["sha256"]),
    parent: mayRefuse(onlyRead(file(parentOf(p.path))), ["type"]),
  }))
  .facts((p, now) => ({
    ...(typeof peek(now, "config") !== "object" && behindLinks([parentOf(p.path)], [peek(now, "parent")])),
  }))
  .facts((p, { config }) => acceptedFact({ path: p.path, validate: check }, config, renderConfig(p)))
  .want((p, now) => {
    const wrong = directoryObstacle([parentOf(p.path)], [now.parent], now.behind, false);
    if (wrong) return noDirectory(p.path, wrong);
    return (
      inTheWay(p.path, now.config) ??
      noValidator(p.path, check, now.validator) ??
      notAccepted(p.path, check, now.accepted) ?? { config: { type: "file", text: renderConfig(p), ...attributes } }
    );
  })
  .steps((p, { change }) => [
    change.config && { step: "writeFile", path: p.path, text: renderConfig(p), validate: check, ...attributes },
  ]);

/** dnsmasq's own check of a configuration. It reads only the file, and starts nothing. */
const check = ["dnsmasq", "--test", "--conf-file=%s"];
const attributes = { mode: "0644", owner: "root", group: "root" } as const;

/** Refuses a path that is neither a file nor a link. */
function inTheWay(path: string, now: FileState | Absent): Refusal | undefined {
  if (now === absent || now.type === "file" || now.type === "link") return undefined;
  return refuse({
    code: "in-the-way",
    message: `${path} is not a file, but a ${now.type === "other" ? "device node, FIFO or socket" : now.type}`,
    current: now.type,
    expected: "file",
    hint: "Remove it by hand, or choose another path",
  });
}
