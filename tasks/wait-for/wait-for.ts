import { absent, absolutePath, cloudInit, file, port, refuse, seconds, task, z } from "../../src/authoring.ts";

const shared = {
  intervalSeconds: seconds().default(2).describe("Seconds between two checks"),
  deadlineSeconds: seconds().default(300).describe("Seconds after which the wait fails"),
};

const params = z.union(
  [
    z.strictObject({
      port: z
        .int({ error: "a port, like 443" })
        .min(1, "a port from 1 to 65535")
        .max(65_535, "a port from 1 to 65535")
        .describe("TCP port, tried from the host"),
      address: z
        .string()
        .regex(/^[\w.:-]+$/, 'a name or an address, like "10.0.0.1"')
        .default("127.0.0.1")
        .describe("Name or address of the machine with the port; default: the host itself"),
      state: z.enum(["open", "closed"], { error: '"open" or "closed"' }).default("open").describe("State to wait for"),
      ...shared,
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
        .describe("Wait until cloud-init has ended, successfully or not; does not wait on a host without cloud-init"),
      ...shared,
    }),
  ],
  { error: "one of `port`, `path` and `cloudInit: true`" },
);

type Params = z.output<typeof params>;

/** Waits until a port, a file or cloud-init is in the wanted state. */
export const waitFor = task({
  name: "waitFor",
  summary: "Wait until a port is open or closed, a path exists or not, or cloud-init has ended",
  params,
  examples: [
    { port: 6443, address: "192.168.122.120", deadlineSeconds: 1800 },
    { path: "/run/app.pid", state: "absent" },
    { cloudInit: true },
  ],
  title: (p) => `waitFor ${subject(p)}`,
})
  .facts((p) => ({
    ...("port" in p && { port: port(p.address, p.port) }),
    ...("path" in p && { path: file(p.path) }),
    ...("cloudInit" in p && { cloudInit: cloudInit() }),
  }))
  .want((p, now) => {
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
    waitsFor: `${subject(p)} to be ${"cloudInit" in p ? "over" : p.state}`,
  }))
  .notes((_p, { cloudInit: ended }) =>
    ended?.state === "failed" ? ["cloud-init ended with errors: see /var/log/cloud-init.log"] : [],
  );

function subject(p: Params): string {
  if ("port" in p) return `port ${p.port} on ${p.address}`;
  return "path" in p ? p.path : "cloud-init";
}
