import { secretText, task, z } from "../../src/authoring.ts";
import { redfishPowerCall, redfishPowerOf } from "../../src/facts/catalogue.ts";
import { changeOf, cycleOf, limitOf, powerParams, powerWanted } from "./power.ts";

const params = z
  .strictObject({
    url: z
      .url({ protocol: /^https$/, error: "an https URL, like https://bmc-1.example.org", abort: true })
      .refine((url) => /^\/?$/.test(new URL(url).pathname) && !/[@?#]/.test(url), "a URL without a path, user or query")
      .describe("The management controller of the machine"),
    user: z.string().min(1).describe("A user who may control the power"),
    password: secretText().describe("The user's password; a secret"),
    system: z
      .string()
      .min(1)
      .optional()
      .describe("Id or path of the machine, if the controller has several: `1`, `/redfish/v1/Systems/1`"),
    ...powerParams,
    caCert: z.string().min(1).optional().describe("PEM certificates to trust instead of the system's"),
    fingerprint: z
      .string()
      .transform((text) => text.replaceAll(":", "").toLowerCase())
      .pipe(z.string().regex(/^[0-9a-f]{64}$/, "a SHA-256 in hex, as openssl x509 -fingerprint -sha256 prints it"))
      .optional()
      .describe("SHA-256 of the only certificate to accept, for example a self-signed one"),
    insecure: z
      .boolean({ error: "true or false" })
      .default(false)
      .describe("Accept any certificate; a man in the middle can then read the password"),
  })
  .refine(
    ({ caCert, fingerprint, insecure }) => [caCert, fingerprint, insecure || undefined].filter(Boolean).length <= 1,
    { path: ["fingerprint"], message: "only one of caCert, fingerprint and insecure" },
  );

type Params = z.output<typeof params>;

const bmc = { url: "https://bmc-1.example.org", user: "furrow", password: "example" };

/** Switches a machine on or off, or power-cycles it, through Redfish. */
export const redfishPower = task({
  name: "redfishPower",
  summary:
    "Switch a machine on or off through the Redfish API of its management controller, and wait until it is on or off",
  params,
  examples: [
    { ...bmc, state: "on" },
    { ...bmc, state: "off", shutdownSeconds: 600, fingerprint: "ab".repeat(32) },
    { ...bmc, state: "cycled", system: "1", force: true },
  ],
  title: (p) => `redfishPower ${nameOf(p)} ${p.state}`,
  disturbs: () => ["redfish:**"],
  keeps: (p) => [{ id: `redfishPower:${nameOf(p)}`, name: `the power of ${nameOf(p)}`, as: { state: p.state } }],
})
  .facts((p) => ({ machine: redfishPowerOf(accessOf(p)), ...cycleOf(p, nameOf(p)) }))
  .want((p, { machine }) => powerWanted(p, machine, "GracefulShutdown"))
  .steps((p, { change }) => [
    (change.machine ?? change.cycle) && {
      ...redfishPowerCall(accessOf(p), changeOf(p), `switch ${nameOf(p)} ${wordOf(p)}`),
      timeoutSeconds: limitOf(p),
    },
  ]);

function accessOf({ url, user, password, system, caCert, fingerprint, insecure }: Params) {
  return { url, user, password: String(password), system, caCert, fingerprint, ...(insecure && { insecure }) };
}

function nameOf({ url, system }: Params): string {
  const { host } = new URL(url);
  return system === undefined ? host : `${host} ${system}`;
}

function wordOf({ state }: Params): string {
  return state === "cycled" ? "off and on" : state;
}
