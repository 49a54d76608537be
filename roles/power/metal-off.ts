import { block, on, port, ran, refuse, role, task, z } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";
import { type MetalNode, metalSchema, offOrder } from "./metal.ts";
import { metalIdle } from "./metal-idle.ts";
import { workloadsNotAsked } from "./no-workloads.ts";

/** Finds out whether a node without a management controller takes logins. */
export const nodeTakesLogins = task({
  name: "nodeTakesLogins",
  summary: "Find out whether a node takes logins",
  params: z.strictObject({ name: z.string(), address: z.string() }),
  examples: [],
  title: ({ name }) => `whether ${name} takes logins`,
})
  .facts((p) => ({ login: port(p.address, 22) }))
  .want(() => ({}))
  .steps(() => [])
  .outputs((_p, { login }): boolean => login.open)
  .notes((p, { login }) =>
    login.open ? [] : [`${p.name} takes no logins; without a management controller, furrow takes it for off`],
  );

/**
 * Shuts a node down over SSH. systemd does it two seconds later, when furrow has got the answer: the connection ends with
 * the node.
 */
export const systemShutDown = task({
  name: "systemShutDown",
  summary: "Shut a node down through its own system",
  params: z.strictObject({ name: z.string() }),
  examples: [],
  title: ({ name }) => `${name} is asked to shut down`,
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

/** Says what furrow cannot switch off. */
export const hypervisorLeft = task({
  name: "hypervisorLeft",
  summary: "Say that the hypervisor below the nodes stays on, and what an operator must do",
  params: z.strictObject({ nodes: z.array(z.string()) }),
  examples: [],
  title: () => "the hypervisor stays on",
})
  .facts(() => ({}))
  .want(() => ({}))
  .steps(() => [])
  .notes(({ nodes }) => [
    "furrow does not reach ESXi: it has switched off the nodes, and not the host below them",
    `in the ESXi Host Client, check that ${nodes.join(", ")} are powered off, and move or shut down other virtual machines`,
    "  then: Host > Enter maintenance mode, and Host > Shut down (esxcli system maintenanceMode set --enable true; esxcli system shutdown poweroff --reason maintenance)",
  ]);

/** Says, after a task has failed, how a shutdown is finished or taken back. */
export const metalUnfinished = task({
  name: "metalUnfinished",
  summary: "Say how to go on after a shutdown that is unfinished",
  params: z.strictObject({ nodes: z.array(z.string()) }),
  examples: [],
  title: () => "all nodes can be switched off",
})
  .facts(() => ({}))
  .want(({ nodes }) =>
    refuse({
      code: "shutdown-unfinished",
      message: `not all nodes can be switched off; the order is ${nodes.join(", ")}`,
      hint: "Correct what the failed task before this one reports, then rerun. If a node is off already: rerun within two hours, and nodes that are off are left alone; or switch them on again. Only for a node that hangs in its shutdown, --var cutPower=true cuts its power",
    }),
  )
  .steps(() => []);

/** Switches the nodes of a cluster on machines of metal off, one after another, if nothing runs on it. */
export const powerOffMetal = role(
  {
    name: "power off metal",
    summary:
      "Switch the nodes of a cluster off one after another, by their controllers where given, otherwise over SSH",
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
            { name: `${name} takes no more logins`, when: up.output },
          ),
        ),
      ];
    };
    return [
      here(force ? workloadsNotAsked({}) : metalIdle({ kubeconfig, record, nodes })),
      block("nodes off", order.map(off), { rescue: [here(metalUnfinished({ nodes: names }))] }),
      hypervisor === "esxi" && here(hypervisorLeft({ nodes: names })),
    ];
  },
);
