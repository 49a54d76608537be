import {
  absent,
  absolutePath,
  cloudInit,
  file,
  port,
  refuse,
  type Refusal,
  seconds,
  task,
  z,
} from "../../src/authoring.ts";
import { sshPort, type SshReached, type SshWay } from "../../src/facts/catalogue.ts";
import { tunnelParam } from "./tunnel-param.ts";

const shared = {
  intervalSeconds: seconds().default(2).describe("Seconds between two checks"),
  deadlineSeconds: seconds().default(300).describe("Seconds after which the wait fails"),
};

const params = z.union(
  [
    z
      .strictObject({
        port: z
          .int({ error: "a port, like 443" })
          .min(1, "a port from 1 to 65535")
          .max(65_535, "a port from 1 to 65535")
          .describe("TCP port to connect to, from the host or, with `tunnel` or `proxyJump`, from the controller"),
        address: z
          .string()
          .regex(/^[\w.:-]+$/, 'a name or an address, like "10.0.0.1"')
          .default("127.0.0.1")
          .describe("Name or address of the machine with the port; default: the host itself"),
        tunnel: tunnelParam
          .optional()
          .describe("Tunnel through which the controller connects to the port, which must be that of an SSH server"),
        proxyJump: z
          .string()
          .regex(/^\S+$/, 'a jump host, like "gate" or "user@gate:22"')
          .optional()
          .describe(
            "Jump host through which the controller connects to the port: its name in the inventory or in ssh_config",
          ),
        state: z
          .enum(["open", "closed"], { error: '"open" or "closed"' })
          .default("open")
          .describe("State to wait for"),
        ...shared,
      })
      .refine((p) => p.tunnel === undefined || p.proxyJump === undefined, {
        message: "a tunnel or a jump host, not both",
        path: ["proxyJump"],
      })
      .refine((p) => p.state === "open" || (p.tunnel ?? p.proxyJump) === undefined, {
        message: '"open" with a tunnel or a jump host',
        path: ["state"],
      }),
    z.strictObject({
      path: absolutePath().describe("Path on the host"),
      state: z
        .enum(["present", "absent"], { error: '"present" or "absent"' })
        .default("present")
        .describe("Whether the path must exist or not"),
      ...shared,
    }),
    z.strictObject({
      cloudInit: z
        .literal(true, { error: "true" })
        .describe(
          "Wait until cloud-init has finished, successfully or not; does not wait on a host without cloud-init",
        ),
      ...shared,
    }),
  ],
  { error: "one of `port`, `path` and `cloudInit: true`" },
);

type Params = z.output<typeof params>;

/** Waits until a port, a file or cloud-init is in the desired state. */
export const waitFor = task({
  name: "waitFor",
  summary: "Wait until a port is open or closed, a path exists or not, or cloud-init has finished",
  params,
  examples: [
    { port: 6443, address: "192.168.122.120", deadlineSeconds: 1800 },
    { port: 22, tunnel: { sessionManager: { instance: "i-0123456789abcdef0" } }, deadlineSeconds: 600 },
    { path: "/run/app.pid", state: "absent" },
    { cloudInit: true },
  ],
  title: (p) => `waitFor ${subject(p)}`,
})
  .facts((p) => {
    const way = "port" in p ? wayOf(p) : undefined;
    return {
      ...("port" in p && way === undefined && { port: port(p.address, p.port) }),
      ...("port" in p && way !== undefined && { way: sshPort(p.port, way) }),
      ...("path" in p && { path: file(p.path) }),
      ...("cloudInit" in p && { cloudInit: cloudInit() }),
    };
  })
  .want((p, now) => {
    if (now.way !== undefined) return now.way.open ? {} : unreached(now.way);
    if ("port" in p) return { port: { open: p.state === "open" } };
    if ("path" in p) return p.state === "absent" ? { path: absent } : { path: {} };
    return now.cloudInit?.state !== "running"
      ? {}
      : refuse({
          code: "not-yet",
          message: "cloud-init is still running",
          hint: "Check /var/log/cloud-init.log, or raise deadlineSeconds",
        });
  })
  .wait((p) => ({
    intervalSeconds: p.intervalSeconds,
    deadlineSeconds: p.deadlineSeconds,
    waitsFor: `${subject(p)} to ${"cloudInit" in p ? "finish" : `be ${p.state}`}`,
  }))
  .notes((_p, { cloudInit: ended }) =>
    ended?.state === "failed" ? ["cloud-init finished with errors: see /var/log/cloud-init.log"] : [],
  );

function subject(p: Params): string {
  if ("path" in p) return p.path;
  if ("cloudInit" in p) return "cloud-init";
  const { tunnel, proxyJump } = p;
  if (tunnel === undefined) {
    return `port ${p.port} on ${p.address}${proxyJump === undefined ? "" : ` through ${proxyJump}`}`;
  }
  return "iap" in tunnel
    ? `port ${p.port} on ${tunnel.iap.instance} through IAP`
    : `port ${p.port} on ${tunnel.sessionManager.instance} through Session Manager`;
}

/** How the controller reaches the port; undefined if the host itself connects to it. */
function wayOf(p: Extract<Params, { port: number }>): SshWay | undefined {
  if (p.tunnel !== undefined) return { tunnel: p.tunnel };
  return p.proxyJump === undefined ? undefined : { address: p.address, proxyJump: p.proxyJump };
}

function unreached({ said, hint, final }: Extract<SshReached, { open: false }>): Refusal {
  // During a wait and at its deadline, only the message is shown, not the hint.
  return refuse({ code: "not-yet", message: `${said}. ${hint}`, hint, ...(final && { final }) });
}
