import { absent, file, fileTail, hostHttp, port, refuse, task, z } from "../../src/authoring.ts";
import { fileText } from "../../src/facts/catalogue.ts";
import { hasFailed, panicOf, progressOf } from "./fetched.ts";

const params = z.strictObject({
  node: z.strictObject({ name: z.string(), address: z.string() }).describe("The node that is being installed"),
  asked: z
    .union([z.strictObject({ url: z.url() }), z.strictObject({ address: z.string(), port: z.int() })])
    .describe("What must answer: a URL that returns `pong`, or a port"),
  stages: z.array(z.strictObject({ path: z.string(), what: z.string() })).describe("What the node fetches, in order"),
  log: z.string().describe("The web server's log of the nodes' requests"),
  console: z.string().describe("File with the node's console output"),
  times: z.int().min(1).describe("Number of consecutive correct answers required"),
  intervalSeconds: z.number().positive().describe("Seconds between two checks"),
  deadlineSeconds: z.number().positive().describe("Seconds after which the wait fails"),
});

/**
 * The kubelet's port, which is open on every node in a cluster, regardless of the node's role (Harvester docs, "Port
 * requirements").
 */
export const kubeletPort = 10_250;

/** The installer runs on the graphical console; the serial console shows the kernel's messages. */
const consoles = "playbooks/harvester-console.ts says how";

/** Waits until a node answers, and reports the progress of its installation. */
export const nodeAnswers = task({
  name: "nodeAnswers",
  summary: "Wait until a node answers, and report its progress",
  params,
  examples: [],
  title: ({ node, asked }) =>
    "url" in asked ? `${node.name} answers at ${asked.url}` : `${node.name} has joined (port ${asked.port})`,
})
  .facts((p) => ({
    ...("url" in p.asked && { answer: hostHttp({ url: p.asked.url, timeoutSeconds: 10, insecure: true }) }),
    ...("port" in p.asked && { open: port(p.asked.address, p.asked.port) }),
    log: fileTail(p.log, 400),
    console: fileTail(p.console, 20),
    printed: file(p.console, ["changed"]),
    // libvirt writes this file when it starts the node, so log lines older than the file belong to an earlier
    // installation.
    started: file(`/run/libvirt/qemu/${p.node.name}.pid`, ["changed"]),
  }))
  .want((p, { answer, open, log, console, printed, started }) => {
    const wrong = open === undefined ? wrongAnswer(answer) : open.open ? undefined : `port ${portOf(p)} is closed`;
    if (wrong === undefined) return {};
    const progress = progressOf(p.node, p.stages, fileText(log) ?? "", fileText(console) ?? "");
    const since = started === absent ? Number.POSITIVE_INFINITY : (started.changed ?? 0) / 1e6;
    if (hasFailed(p.node, p.stages, fileText(log) ?? "", since)) {
      return refuse({
        code: "install-failed",
        message: `${p.node.name} could not be installed; ${progress}`,
        hint: `Look at the node's screen (${consoles}); fix the cause, run "virsh destroy ${p.node.name}" on the host, and rerun`,
        final: true,
      });
    }
    // If the last line is older than the node's process, it is from the previous boot.
    const isNew = printed !== absent && (printed.changed ?? 0) / 1e6 > since;
    if (isNew && panicOf(fileText(console) ?? "") !== undefined) {
      return refuse({
        code: "kernel-panic",
        message: `${p.node.name} has halted; ${progress}`,
        hint: `Look at ${p.console} on the host; fix the cause, run "virsh destroy ${p.node.name}" there, and rerun`,
        final: true,
      });
    }
    return refuse({
      code: "not-yet",
      message: `${wrong}; ${progress}`,
      hint: `Look at the node's screen, on which its installer runs (${consoles})`,
    });
  })
  .wait((p) => ({
    intervalSeconds: p.intervalSeconds,
    deadlineSeconds: p.deadlineSeconds,
    consecutive: p.times,
    waitsFor: "url" in p.asked ? `${p.node.name} to answer at ${p.asked.url}` : `${p.node.name} to join the cluster`,
  }));

type Answer = { readonly error: { readonly message: string } } | { readonly status: number; readonly body: string };

function wrongAnswer(answer: Answer | undefined): string | undefined {
  if (answer === undefined || "error" in answer)
    return `no answer (${(answer?.error.message ?? "not asked").replace(/ after \d+ ms/, "")})`;
  if (answer.status === 200 && answer.body.trim() === "pong") return undefined;
  return `answered ${answer.status} "${answer.body.replaceAll(/\s+/g, " ").trim().slice(0, 80)}"`;
}

function portOf({ asked }: z.output<typeof params>): number {
  return "port" in asked ? asked.port : 0;
}
