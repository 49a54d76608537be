import { FurrowError } from "../../core/errors.ts";
import type { DigitalOceanAct } from "../../facts/cloud/digitalocean/index.ts";
import { type Api, ask } from "./api.ts";
import type { DigitalOceanError } from "./errors.ts";

/**
 * Refuses to create a droplet that, together with the earlier droplets of the plan, exceeds what the account allows. If
 * this cannot be determined, returns the reason. The API has no dry runs, and does not report what a token is allowed
 * to do.
 */
export async function rehearse(
  api: Api,
  act: DigitalOceanAct,
  earlier: readonly DigitalOceanAct[],
): Promise<string | undefined> {
  if (act.act !== "createDroplet") return undefined;
  const denied = ({ status }: DigitalOceanError): boolean => status === 403;
  try {
    const asked = { method: "GET", path: "account", what: "read the account" } as const;
    const { account = {} } = (await ask(api, asked, denied)) as {
      account?: { status?: string; status_message?: string; droplet_limit?: number };
    };
    if (account.status === "locked") {
      throw new FurrowError("E_DRIVER", {
        what: "DigitalOcean has locked the account, so no droplet can be created",
        current: account.status_message ?? "locked",
        hint: "Ask DigitalOcean's support",
      });
    }
    const limit = account.droplet_limit;
    if (limit === undefined) return "the token is not allowed to read the account's droplet limit";
    const list = { method: "GET", path: "droplets", query: { per_page: "1" }, what: "count the droplets" } as const;
    const { meta } = (await ask(api, list, denied)) as { meta?: { total?: number } };
    const total = meta?.total;
    if (typeof total !== "number") return "DigitalOcean does not say how many droplets the account has";
    const deleted = earlier.filter((one) => one.act === "deleteDroplet").length;
    const planned = earlier.filter((one) => one.act === "createDroplet").length;
    if (total - deleted + planned < limit) return undefined;
    throw new FurrowError("E_DRIVER", {
      what: `the account's droplet limit is ${limit}, so DigitalOcean would refuse the droplet ${act.name}`,
      current: `${total} droplets${planned > 0 ? `, and ${planned} that earlier tasks create` : ""}`,
      hint: "Ask DigitalOcean for a higher limit, or delete droplets that you no longer need",
    });
  } catch (error) {
    if (!denied(error as DigitalOceanError)) throw error;
    return "the token is not allowed to read the account, so furrow does not know its droplet limit";
  }
}
