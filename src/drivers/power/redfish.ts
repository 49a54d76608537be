import { z } from "zod";
import { FurrowError, isFurrowError } from "../../core/errors.ts";
import type { Driver } from "../../core/host/driver.ts";
import type { MachinePower, PowerState } from "../../facts/controller/machine-power.ts";
import { bring, changeSchema } from "./bring.ts";
import { accessSchema, type Answer, exchange } from "./redfish-exchange.ts";

type Access = z.output<typeof accessSchema>;

const callSchema = accessSchema.extend({ change: changeSchema });
const link = z.looseObject({ "@odata.id": z.string().startsWith("/") });

/** The parts of a ComputerSystem that furrow reads (DMTF DSP8010, ComputerSystem.v1_x and its action Reset). */
const systemSchema = z.looseObject({
  "@odata.id": z.string().startsWith("/"),
  Id: z.string().optional(),
  PowerState: z.string().nullish(),
  Actions: z.looseObject({
    "#ComputerSystem.Reset": z.looseObject({
      target: z.string().startsWith("/"),
      "ResetType@Redfish.AllowableValues": z.array(z.string()).optional(),
      "@Redfish.ActionInfo": z.string().startsWith("/").optional(),
    }),
  }),
});
type System = z.output<typeof systemSchema>;

/** The time limit for one request, and the pause between two checks of a machine, in milliseconds. */
interface Patience {
  readonly requestMs: number;
  readonly pauseMs: number;
}

/** Reads and changes the power state of machines over Redfish (DMTF DSP0266). */
export const redfishDriver: Driver = redfishDriverWith({ requestMs: 30_000, pauseMs: 5000 });

/** Returns the driver with different time limits and pauses, for tests. */
export function redfishDriverWith(patience: Patience): Driver {
  return {
    name: "redfish",
    read: (request, signal) => look(new Talk(accessSchema.parse(request), patience, signal)),
    call: async (request, signal, say = () => {}) => {
      const { change, ...access } = callSchema.parse(request);
      const talk = new Talk(access, patience, signal);
      const name = new URL(access.url).host;
      await bring(
        { name, signal, say, pauseMs: patience.pauseMs, read: () => look(talk), press: (how) => press(talk, how) },
        change,
      );
    },
  };
}

/** Requests to one management controller. */
class Talk {
  readonly access: Access;
  readonly #patience: Patience;
  readonly #signal: AbortSignal;

  constructor(access: Access, patience: Patience, signal: AbortSignal) {
    this.access = access;
    this.#patience = patience;
    this.#signal = signal;
  }

  send(method: "GET" | "POST", path: string, body?: object): Promise<Answer> {
    const options = { timeoutMs: this.#patience.requestMs, signal: this.#signal, ...(body !== undefined && { body }) };
    return exchange(this.access, method, path, options);
  }

  async get<S extends z.ZodType>(path: string, schema: S): Promise<z.output<S>> {
    const answer = await this.send("GET", path);
    if (answer.status !== 200) throw new Error(`GET ${path}: ${said(answer)}`);
    const read = schema.safeParse(answer.body);
    if (read.success) return read.data;
    throw new Error(`GET ${path}: the answer is not a Redfish response (${read.error.issues[0]?.path.join(".")})`);
  }
}

async function look(talk: Talk): Promise<MachinePower> {
  try {
    const system = await systemOf(talk);
    return { power: stateOf(system.PowerState), ways: await waysOf(talk, system) };
  } catch (error) {
    const { host } = new URL(talk.access.url);
    if (isFurrowError(error)) {
      const { what, current, expected, hint } = error.failure;
      return {
        problem: {
          code: "other-certificate",
          message: what,
          ...(current !== undefined && { current }),
          ...(expected !== undefined && { expected }),
          ...(hint !== undefined && { hint }),
        },
      };
    }
    const { message, code = "" } = error as NodeJS.ErrnoException;
    return {
      problem: {
        code: "no-answer",
        message: `cannot find out from ${host} whether its machine is on: ${message || code}`,
        hint: hintFor(`${code} ${message}`),
      },
    };
  }
}

function hintFor(text: string): string {
  if (/HTTP 40[13]/.test(text))
    return "Correct the user and the password, and give the user the permission to control power";
  if (/certificate|CERT_|ALTNAME|SELF_SIGNED|VERIFY/i.test(text))
    return "Give the certificate of the controller's authority as caCert, or the SHA-256 of its own certificate as fingerprint";
  return "Check the address, and that the management controller is reachable from this machine";
}

async function systemOf(talk: Talk): Promise<System> {
  const { system } = talk.access;
  if (system?.startsWith("/") === true) return talk.get(system, systemSchema);
  const root = await talk.get("/redfish/v1/", z.looseObject({ Systems: link }));
  const { Members } = await talk.get(root.Systems["@odata.id"], z.looseObject({ Members: z.array(link) }));
  const paths = Members.map((one) => one["@odata.id"]);
  const [path] = system === undefined ? paths : paths.filter((one) => one.replace(/\/$/, "").endsWith(`/${system}`));
  if (path !== undefined && (system !== undefined || paths.length === 1)) return talk.get(path, systemSchema);
  throw new Error(`it has ${paths.length === 0 ? "no machine" : paths.join(", ")}; set \`system\``);
}

function stateOf(power: string | null | undefined): PowerState {
  if (power === "On") return "on";
  if (power === "Off") return "off";
  if (power === "PoweringOn") return "powering on";
  if (power === "PoweringOff") return "powering off";
  throw new Error(`its PowerState is ${power ?? "missing"}`);
}

/** The ResetTypes that the machine accepts; undefined if it does not list them. */
async function waysOf(talk: Talk, system: System): Promise<readonly string[] | undefined> {
  const reset = system.Actions["#ComputerSystem.Reset"];
  const listed = reset["ResetType@Redfish.AllowableValues"];
  if (listed !== undefined || reset["@Redfish.ActionInfo"] === undefined) return listed;
  const info = await talk.get(
    reset["@Redfish.ActionInfo"],
    z.looseObject({
      Parameters: z.array(z.looseObject({ Name: z.string(), AllowableValues: z.array(z.string()).optional() })),
    }),
  );
  return info.Parameters.find(({ Name }) => Name === "ResetType")?.AllowableValues;
}

const resets = { on: ["On", "ForceOn"], shutdown: ["GracefulShutdown"], off: ["ForceOff"] } as const;

async function press(talk: Talk, how: "on" | "shutdown" | "off"): Promise<void> {
  const { host } = new URL(talk.access.url);
  try {
    const system = await systemOf(talk);
    const ways = await waysOf(talk, system);
    const names = resets[how];
    const ResetType = names.find((name) => ways === undefined || ways.includes(name));
    if (ResetType === undefined) throw new Error(`it offers ${ways?.join(", ")}, but not ${names.join(" or ")}`);
    const answer = await talk.send("POST", system.Actions["#ComputerSystem.Reset"].target, { ResetType });
    if (answer.status >= 200 && answer.status <= 299) return;
    throw new Error(said(answer));
  } catch (error) {
    if (isFurrowError(error)) throw error;
    throw new FurrowError("E_DRIVER", {
      what: `${host} does not accept ComputerSystem.Reset (${how})`,
      current: (error as Error).message,
      hint: hintFor((error as Error).message),
      cause: error,
    });
  }
}

const errorSchema = z.looseObject({
  error: z.looseObject({
    message: z.string().default(""),
    "@Message.ExtendedInfo": z.array(z.looseObject({ Message: z.string().optional() })).default([]),
  }),
});

/** A refusal in the controller's own words (DSP0266, error responses). */
function said({ status, body }: Answer): string {
  const read = errorSchema.safeParse(body);
  const own = read.data?.error;
  const texts = own?.["@Message.ExtendedInfo"].flatMap(({ Message }) => Message ?? []) ?? [];
  const text = (texts.length > 0 ? texts.join(" ") : (own?.message ?? "")).slice(0, 300);
  return text === "" ? `HTTP ${status}` : `HTTP ${status}: ${text}`;
}
