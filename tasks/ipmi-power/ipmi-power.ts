import { secretText, task, z } from "../../src/authoring.ts";
import { ipmiPowerCall, ipmiPowerOf } from "../../src/facts/catalogue.ts";
import { changeOf, cycleOf, limitOf, powerParams, powerWanted } from "../redfish-power/power.ts";

const params = z.strictObject({
  address: z
    .string({ error: "the name or address of the management controller" })
    .regex(/^[A-Za-z0-9[][\w.:%\]-]*$/, "the name or address of the management controller")
    .describe("The management controller of the machine"),
  port: z.int().min(1).max(65_535).default(623).describe("UDP port of the management controller"),
  user: z
    .string()
    .regex(/^[^-\s]\S{0,15}$/, "at most 16 characters without spaces")
    .describe("A user who may control the power"),
  password: secretText().describe("The user's password, at most 20 bytes; a secret"),
  cipherSuite: z
    .int()
    .min(0)
    .max(17)
    .optional()
    .describe("Cipher suite, if ipmitool does not negotiate one with the controller"),
  ...powerParams,
});

type Params = z.output<typeof params>;

const bmc = { address: "bmc-1.example.org", user: "furrow", password: "example" };

/** Switches a machine on or off, or power-cycles it, through IPMI. Prefer `redfishPower`, which uses TLS. */
export const ipmiPower = task({
  name: "ipmiPower",
  summary:
    "Switch a machine on or off through IPMI 2.0, with ipmitool on the controller, and wait until it is on or off",
  params,
  examples: [
    { ...bmc, state: "on" },
    { ...bmc, state: "off", shutdownSeconds: 600, force: true },
    { ...bmc, state: "cycled", cipherSuite: 3 },
  ],
  title: (p) => `ipmiPower ${p.address} ${p.state}`,
  disturbs: () => ["ipmi:**"],
  keeps: (p) => [{ id: `ipmiPower:${p.address} ${p.port}`, name: `the power of ${p.address}`, as: { state: p.state } }],
})
  .facts((p) => ({ machine: ipmiPowerOf(accessOf(p)), ...cycleOf(p, p.address) }))
  .want((p, { machine }) => powerWanted(p, machine, "soft"))
  .steps((p, { change }) => [
    (change.machine ?? change.cycle) && {
      ...ipmiPowerCall(
        accessOf(p),
        changeOf(p),
        `switch ${p.address} ${p.state === "cycled" ? "off and on" : p.state}`,
      ),
      timeoutSeconds: limitOf(p),
    },
  ]);

function accessOf({ address, port, user, password, cipherSuite }: Params) {
  return { address, port, user, password: String(password), cipherSuite };
}
