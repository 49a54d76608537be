import { block, on, port, ran, refuse, role, task, z } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";
import { controlledBy, latePorts, type MetalNode, metalSchema, offOrder, portsText } from "./metal.ts";
import { metalIdle } from "./metal-idle.ts";
import { workloadsNotAsked } from "./no-workloads.ts";
import { metalRecordRemoved } from "./own-record.ts";

/** Finds out whether a node without a management controller accepts logins. */
export const nodeTakesLogins = task({
  name: "nodeTakesLogins",
  summary: "Find out whether a node accepts logins",
  params: z.strictObject({ name: z.string(), address: z.string() }),
  examples: [],
  title: ({ name }) => `whether ${name} accepts logins`,
})
  .facts((p) => ({ login: port(p.address, 22) }))
  .want(() => ({}))
  .steps(() => [])
  .outputs((_p, { login }): boolean => login.open)
  .notes((p, { login }) => (login.open ? [] : [`${p.name} accepts no logins, so it is not asked to shut down`]));

/**
 * Shuts a node down over SSH. systemd waits two seconds first, so that furrow still receives the response: the
 * connection ends when the node goes down.
 */
export const systemShutDown = task({
  name: "systemShutDown",
  summary: "Shut a node down through its own system",
  params: z.strictObject({ name: z.string() }),
  examples: [],
  title: ({ name }) => `${name} has been asked to shut down`,
  disturbs: () => [],
})
  .facts((p) => ({ asked: ran(`shutdown of ${p.name}`) }))
  .want(() => ({ asked: true }))
  .steps(({ name }, { change }) => [
    change.asked && {
      step: "run",
      label: `shut ${name} down`,
      argv: "systemd-run --quiet --collect --on-active=2 --timer-property=AccuracySec=100ms systemctl poweroff".split(
        " ",
      ),
    },
  ]);

/** Says which nodes may still be on, although they answer at no port. */
const notKnownOff = task({
  name: "notKnownOff",
  summary: "Report nodes without a management controller, for which only the ports show whether they are off",
  params: z.strictObject({ nodes: z.array(z.string()) }),
  examples: [],
  title: () => "nodes without a management controller",
})
  .facts(() => ({}))
  .want(() => ({}))
  .steps(() => [])
  .notes(({ nodes }) =>
    nodes.map(
      (name) =>
        `${name} is not known to be off: it answers at none of the ports ${portsText}, but it has no management controller; look at the machine`,
    ),
  );

/** Says what furrow does not switch off. */
export const hypervisorLeft = task({
  name: "hypervisorLeft",
  summary: "Report that the hypervisor under the nodes stays on, and what an operator must do",
  params: z.strictObject({ nodes: z.array(z.string()) }),
  examples: [],
  title: () => "the hypervisor stays on",
})
  .facts(() => ({}))
  .want(() => ({}))
  .steps(() => [])
  .notes(({ nodes }) => [
    "furrow does not control ESXi: it has asked the nodes to shut down, but not the host that they run on",
    `in the ESXi Host Client, check that ${nodes.join(", ")} are powered off, and move or shut down other virtual machines`,
    "  then: Host > Enter maintenance mode, and Host > Shut down (esxcli system maintenanceMode set --enable true; esxcli system shutdown poweroff --reason maintenance)",
  ]);

/** Says, after a task has failed, how to finish or reverse a shutdown. */
export const metalUnfinished = task({
  name: "metalUnfinished",
  summary: "Show how to continue an unfinished shutdown",
  params: z.strictObject({ nodes: z.array(z.string()) }),
  examples: [],
  title: () => "all nodes can be switched off",
})
  .facts(() => ({}))
  .want(({ nodes }) =>
    refuse({
      code: "shutdown-unfinished",
      message: `not all nodes can be switched off; the order is ${nodes.join(", ")}`,
      hint: "Fix what the failed task before this one reports, then rerun. If a node is already off: rerun within two hours, and nodes that are off are left alone; or switch them back on. Only if a node hangs during its shutdown, --var cutPower=true cuts its power",
    }),
  )
  .steps(() => []);

/** Switches off the nodes of a bare-metal cluster, one after another, if nothing runs on the cluster. */
export const powerOffMetal = role(
  {
    name: "power off metal",
    summary:
      "Switch off the nodes of a cluster one after another, through their controllers if given, otherwise over SSH",
    params: metalSchema,
  },
  ({ kubeconfig, record, nodes, force, cutPower, shutdownSeconds, hypervisor }) => {
    const order = offOrder({ nodes });
    const names = order.map(({ name }) => name);
    const here = (...list: Parameters<typeof on>[1]) => on("localhost", list);
    const limits = { state: "off" as const, shutdownSeconds, force: cutPower };
    const off = ({ name, address, redfish, ipmi }: MetalNode) => {
      if (redfish !== undefined) return here(t.redfishPower({ ...redfish, ...limits }, { name: `${name} is off` }));
      if (ipmi !== undefined) return here(t.ipmiPower({ ...ipmi, ...limits }, { name: `${name} is off` }));
      const up = nodeTakesLogins({ name, address });
      return [
        here(up),
        on(name, [systemShutDown({ name })], { when: up.output }),
        here(
          t.waitFor(
            { port: 22, address, state: "closed", deadlineSeconds: shutdownSeconds },
            { name: `${name} no longer accepts logins`, when: up.output },
          ),
        ),
        // sshd stops early. A node that hangs later, for example on its storage, is not off.
        latePorts.map((port) =>
          here(
            t.waitFor(
              { port, address, state: "closed", deadlineSeconds: shutdownSeconds },
              { name: `${name} no longer answers at port ${port}` },
            ),
          ),
        ),
      ];
    };
    const uncontrolled = order.filter((node) => controlledBy(node) === undefined).map(({ name }) => name);
    return [
      // After a forced shutdown, an earlier answer from the cluster no longer counts.
      force
        ? here(workloadsNotAsked({}), metalRecordRemoved({ path: record }))
        : here(metalIdle({ kubeconfig, record, nodes })),
      block("nodes off", order.map(off), { rescue: [here(metalUnfinished({ nodes: names }))] }),
      uncontrolled.length > 0 && here(notKnownOff({ nodes: uncontrolled })),
      hypervisor === "esxi" && here(hypervisorLeft({ nodes: names })),
    ];
  },
);
