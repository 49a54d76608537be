import { describe, expect, test, vi } from "vitest";
import { findDriver } from "../../../src/cli/drivers/index.ts";
import { Policy } from "../../../src/cli/run/policy/policy.ts";
import type { Playbook } from "../../../src/authoring.ts";
import { destroy, provision } from "../azure/books.ts";
import { type AzureFake, subscription } from "../azure-fake/fake.ts";
import { eachWithAzureFake } from "../azure-fake/here.ts";
import { furrow } from "../furrow.ts";
import { runHere } from "../run-here.ts";

let fake: AzureFake;
eachWithAzureFake((started) => (fake = started));

interface Role {
  readonly Actions: readonly string[];
  readonly AssignableScopes: readonly string[];
}

const whole = `/subscriptions/${subscription}`;
const group = `${whole}/resourceGroups/lab`;

/** The roles that `check --print-policy` prints for a playbook, by their scope. */
async function rolesFor(book: Playbook): Promise<Record<string, readonly string[]>> {
  const policy = new Policy();
  const { events } = await runHere(book, { mode: "check", drivers: policy.recording(findDriver) });
  for (const event of events) policy.take(event);
  const { complete, azure = [] } = policy.result();
  expect(complete).toBe(true);
  return Object.fromEntries((azure as readonly Role[]).map((role) => [role.AssignableScopes.join(), role.Actions]));
}

/**
 * The action that Azure requires for a call, according to the rule by which Azure derives actions from paths: the
 * service, then the types in the path, then what is done to them
 * (https://learn.microsoft.com/azure/role-based-access-control/role-definitions#actions-format).
 */
function actionOf(call: string): string {
  const [method = "", path = ""] = call.split(" ");
  const verb = { GET: "read", PUT: "write", PATCH: "write", DELETE: "delete", POST: "action" }[method] ?? method;
  const inGroup = /^resourcegroups\/[^/]+(?:\/(.*))?$/i.exec(path);
  const rest = inGroup === null ? path : inGroup[1];
  const resources = "Microsoft.Resources/subscriptions";
  if (rest === undefined) return `${resources}/resourceGroups/${verb}`;
  if (!rest.startsWith("providers/")) return `${resources}/${inGroup === null ? "" : "resourceGroups/"}${rest}/${verb}`;
  const [, service = "", ...parts] = rest.split("/");
  if (parts.length === 0) return `${resources}/providers/${verb}`;
  return [service, ...parts.filter((_, at) => at % 2 === 0), verb].join("/");
}

/** Azure requires these too, although no call of a run corresponds to them. */
const withoutCall = /\/join\/action$|\/locations\/\w*operations\/read$|operationresults\/read$|\/instanceView\/read$/i;

/**
 * The actions of all calls, except for calls that poll an operation: the fake does not imitate the paths of these
 * calls.
 */
function used(): Set<string> {
  const calls = fake.calls.filter((call) => !call.startsWith("GET providers/operations/"));
  return new Set(calls.map((call) => actionOf(call).toLowerCase()));
}

describe("the roles that check prints for Azure", () => {
  test("contain every action of a run that creates and then removes a machine, and only a few known others", async () => {
    for (const [book, others] of [
      [provision, []],
      // Needed only after a run that was killed, or if somebody else has changed what is deleted together with the
      // machine.
      [
        destroy,
        [
          "Microsoft.Compute/disks/write",
          "Microsoft.Compute/virtualMachines/write",
          "Microsoft.Network/networkInterfaces/delete",
          "Microsoft.Network/networkInterfaces/write",
          "Microsoft.Network/publicIPAddresses/delete",
        ],
      ],
    ] as const) {
      const roles = await rolesFor(book);
      const printed = new Set(Object.values(roles).flat());
      fake.calls.length = 0;
      const { failed } = await ended(book);
      expect(failed).toEqual([]);
      const lower = new Set([...printed].map((action) => action.toLowerCase()));
      expect([...used()].filter((action) => !lower.has(action))).toEqual([]);
      const needed = (action: string): boolean => used().has(action.toLowerCase()) || withoutCall.test(action);
      expect([...printed].filter((action) => !needed(action))).toEqual(others);
    }
  });

  test("are for the resource group if it exists, and otherwise for the subscription", async () => {
    expect(Object.keys(await rolesFor(provision))).toEqual([whole]);
    await ended(provision);
    const roles = await rolesFor(destroy);
    expect(Object.keys(roles)).toEqual([whole, group]);
    expect(roles[group]).toContain("Microsoft.Compute/virtualMachines/delete");
    expect(roles[whole]?.filter((action) => !action.endsWith("/read"))).toEqual([]);
  });

  test("are printed for `az role definition create`, even if the login lacks the permissions", async () => {
    fake.world.offers.permissions = [];
    vi.stubEnv("NODE_EXTRA_CA_CERTS", fake.authorityFile);
    const { code, stdout, stderr } = await furrow(
      "check",
      "playbooks/clouds/provision-azure.ts",
      "-i",
      "local",
      "--var",
      "publicKey=ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGtleQ== me@here",
      "--var",
      'manageFrom=["192.0.2.7/32"]',
      "--print-policy",
    );
    expect({ code, stderr, stdout }).toMatchObject({ code: 0, stderr: "" });
    const [, scope, role = ""] = /^Custom role for Azure, to be assigned on (\S+):\n(\{.*^\})$/ms.exec(stdout) ?? [];
    expect(scope).toBe(whole);
    expect(JSON.parse(role)).toMatchObject({ IsCustom: true, NotActions: [], AssignableScopes: [whole] });
  });
});

async function ended(book: Playbook): Promise<{ readonly failed: readonly string[] }> {
  const { events } = await runHere(book);
  return { failed: events.flatMap((event) => (event.type === "hostStopped" ? [event.error.message] : [])) };
}
