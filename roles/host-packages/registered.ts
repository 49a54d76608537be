import { absent, refuse, seconds, task, unit, z } from "../../src/authoring.ts";

/** SUSE's service that registers a cloud machine at its first boot; zypper has no repositories before that. */
const service = "guestregister.service";

/**
 * Waits until a SUSE machine in a cloud has registered itself. Does not wait for machines that do not register
 * themselves.
 */
export const registered = task({
  name: "registered",
  summary: "Wait until a SUSE machine has registered with its cloud's update servers",
  params: z.strictObject({ deadlineSeconds: seconds().describe("Seconds after which the wait fails") }),
  examples: [],
  title: () => "the machine is registered",
})
  .facts(() => ({ unit: unit(service) }))
  .want((_p, now) => {
    const state = now.unit;
    if (state === absent || state.load !== "loaded" || state.masked) return {};
    if (state.active === "failed") {
      return refuse({
        code: "not-registered",
        final: true,
        message: `${service} failed, so zypper may have no repositories`,
        hint: `See journalctl -u ${service}; then run registercloudguest --force-new, or systemctl reset-failed ${service} if zypper lr lists repositories`,
      });
    }
    // Once the service has run since the last boot, systemd knows when it started.
    const isDone = state.state === "stopped" && (state.since > 0 || !state.enabled);
    if (isDone || state.state === "started") return {};
    return refuse({
      code: "not-yet",
      message: `${service} has not finished since boot`,
      hint: `See systemctl status ${service}; disable it if this machine gets its repositories from elsewhere`,
    });
  })
  .wait((p) => ({ intervalSeconds: 2, deadlineSeconds: p.deadlineSeconds, waitsFor: `${service} to finish` }));
