import { z } from "zod";
import type { Driver } from "../../core/host/driver.ts";
import type { Address } from "../../core/host/transport.ts";
import type { NewHost } from "../../core/inventory/inventory.ts";
import type { SshReached } from "../../facts/network/ssh-way.ts";
import { reachJump, reachPort } from "../../transport/ssh/reach.ts";
import { sshTransport } from "../../transport/ssh/ssh.ts";
import { missingPrograms } from "../../transport/ssh/tunnel/missing-programs.ts";

/** Builds the address of a machine that is not in the inventory. */
export type AddressFor = (machine: NewHost) => Address;

const seconds = z.number().positive();

const requestSchema = z.union([
  z.strictObject({
    ask: z.literal("port"),
    port: z.int(),
    timeoutSeconds: seconds,
    tunnel: z.union([
      z.strictObject({ sessionManager: z.strictObject({ instance: z.string(), region: z.string().exactOptional() }) }),
      z.strictObject({ iap: z.strictObject({ instance: z.string(), project: z.string(), zone: z.string() }) }),
    ]),
  }),
  z.strictObject({
    ask: z.literal("port"),
    port: z.int(),
    timeoutSeconds: seconds,
    address: z.string(),
    proxyJump: z.string(),
  }),
  z.strictObject({
    ask: z.literal("ready"),
    timeoutSeconds: seconds,
    tunnel: z.enum(["sessionManager", "iap"]),
  }),
  z.strictObject({ ask: z.literal("ready"), timeoutSeconds: seconds, proxyJump: z.string() }),
]);

type SshRequest = z.output<typeof requestSchema>;

/**
 * Creates the driver that finds out whether the controller can reach a machine's SSH server through its cloud's tunnel
 * or through jump hosts. The driver logs in to jump hosts only. The machine need not be in the inventory.
 */
export function sshDriver(addressFor: AddressFor): Driver {
  return {
    name: "ssh",
    read: (request, signal) => answer(requestSchema.parse(request), addressFor, signal),
  };
}

async function answer(request: SshRequest, addressFor: AddressFor, signal: AbortSignal): Promise<SshReached> {
  const { timeoutSeconds: limit } = request;
  if (request.ask === "ready") {
    if ("tunnel" in request) return programsFor(request.tunnel);
    const { proxyJump } = request;
    const address = addressFor({ name: "the machine", address: "the machine", transport: "ssh", proxyJump });
    return reachJump(sshTransport, address, limit, signal);
  }
  const { port } = request;
  const way =
    "tunnel" in request
      ? { address: instanceOf(request.tunnel), tunnel: request.tunnel }
      : { address: request.address, proxyJump: request.proxyJump };
  const address = addressFor({ name: way.address, transport: "ssh", ...way, port });
  return reachPort(sshTransport, address, limit, signal);
}

function instanceOf(
  tunnel: { readonly sessionManager: { instance: string } } | { readonly iap: { instance: string } },
) {
  return ("iap" in tunnel ? tunnel.iap : tunnel.sessionManager).instance;
}

async function programsFor(tunnel: "sessionManager" | "iap"): Promise<SshReached> {
  const missing = await missingPrograms(tunnel);
  if (missing.length === 0) return { open: true };
  return {
    open: false,
    said: `there is no ${missing.map(({ program }) => program).join(" and no ")} on this machine`,
    hint: `Install ${missing.map(({ comesWith }) => comesWith).join(" and ")}, then log in`,
    final: true,
  };
}
