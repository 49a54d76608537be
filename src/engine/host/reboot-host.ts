import { FurrowError } from "../../core/errors.ts";
import type { Frame } from "../../core/host/frame.ts";
import type { RebootStep } from "../../core/host/step.ts";
import { now, sleep } from "../../core/world.ts";
import type { Host } from "./host.ts";

const readBootId: Frame = {
  items: [
    { item: "steps", task: "reboot", steps: [{ step: "run", argv: ["cat", "/proc/sys/kernel/random/boot_id"] }] },
  ],
};

/** A process that outlives the connection starts the reboot one second after the answer. */
const reboot: Frame = {
  items: [
    {
      item: "steps",
      task: "reboot",
      steps: [
        { step: "run", argv: ["sh", "-c", "(sleep 1; systemctl reboot || reboot) >/dev/null 2>&1 </dev/null &"] },
      ],
    },
  ],
};

/** Reboots a host and waits until it answers with a new boot id. Throws FurrowError E_UNREACHABLE at the deadline. */
export async function rebootHost(host: Host, step: RebootStep, signal: AbortSignal): Promise<void> {
  const before = await bootId(host, signal);
  await host.frame(reboot, signal);
  const deadline = now() + step.deadlineSeconds * 1000;
  while (now() < deadline) {
    await sleep(2000, signal);
    await host.forgetAndClose();
    try {
      if ((await bootId(host, signal)) !== before) return;
    } catch {
      signal.throwIfAborted();
    }
  }
  throw new FurrowError("E_UNREACHABLE", {
    what: `the host did not come back within ${step.deadlineSeconds} s of its reboot`,
    where: { host: host.name },
    hint: "Check its console, or raise the task's deadline if the host just needs more time",
  });
}

async function bootId(host: Host, signal: AbortSignal): Promise<string> {
  const [result] = await host.frame(readBootId, signal);
  const id = result?.item === "steps" ? result.results[0]?.stdout.trim() : undefined;
  if (id === undefined || id === "")
    throw new FurrowError("E_PROTOCOL", { what: "the host did not report its boot id" });
  return id;
}
