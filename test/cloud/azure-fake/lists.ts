import { Refusal } from "./refusal.ts";
import type { Answer } from "./routes.ts";
import { addressView, interfaceView, type FakeMachine, machineView } from "./views.ts";
import type { World } from "./world.ts";

const lists =
  /^GET (?:resourceGroups\/([^/]+)\/)?providers\/(Microsoft\.(?:Compute\/virtualMachines|Network\/(?:networkInterfaces|publicIPAddresses)))$/i;
const listsOfGroup =
  /^GET resourceGroups\/([^/]+)\/(?:resources|providers\/(Microsoft\.(Compute|Network|Storage|KeyVault)\/\w+))$/i;

/** Answers a request for a list of a group or of the subscription, page by page; undefined for other calls. */
export function answerList(world: World, machines: readonly FakeMachine[], url: URL, call: string): Answer | undefined {
  const [, group, type] = lists.exec(call) ?? [];
  if (type === undefined) return answerListOfGroup(world, url, call);
  const inGroup = machines.filter((one) => group === undefined || one.group === group.toLowerCase());
  if (group !== undefined && inGroup.length === 0 && !world.groups.has(group.toLowerCase())) {
    throw new Refusal(404, "ResourceGroupNotFound", `Resource group '${group}' could not be found.`);
  }
  const views = {
    virtualmachines: machineView,
    networkinterfaces: interfaceView,
    publicipaddresses: addressView,
  }[type.split("/")[1]?.toLowerCase() ?? ""];
  const given = type.endsWith("publicIPAddresses") ? inGroup.filter(({ address }) => address !== "") : inGroup;
  const all = [...given.map((one) => views?.(one) ?? {}), ...world.list(type, group)];
  return { status: 200, body: pageOf(all, url, world) };
}

/**
 * Lists the resources of a group: all of them from a cache that may be out of date, or those of one type in their
 * current state.
 */
function answerListOfGroup(world: World, url: URL, call: string): Answer | undefined {
  const [, group, type, service] = listsOfGroup.exec(call) ?? [];
  if (group === undefined) return undefined;
  if (!world.groups.has(group.toLowerCase())) {
    throw new Refusal(404, "ResourceGroupNotFound", `Resource group '${group}' could not be found.`);
  }
  if (type === undefined) return { status: 200, body: pageOf(world.cached ?? world.contents(group), url, world) };
  if (world.offers.services[`Microsoft.${service}`] === undefined) {
    const message = `The subscription is not registered to use namespace 'Microsoft.${service}'.`;
    throw new Refusal(409, "MissingSubscriptionRegistration", message);
  }
  return { status: 200, body: pageOf(world.list(type, group), url, world) };
}

/** Returns the state of a machine that somebody else has created; undefined if the call does not request it. */
export function answerOfMachine(
  machines: readonly FakeMachine[],
  call: string,
  {
    group,
    type,
    name,
    below,
  }: { readonly group: string; readonly type: string; readonly name: string; readonly below: string },
): Answer | undefined {
  const machine = machines.find((one) => one.name === name && one.group === group.toLowerCase());
  if (
    machine === undefined ||
    !call.startsWith("GET ") ||
    below !== "instanceView" ||
    !type.endsWith("virtualMachines")
  ) {
    return undefined;
  }
  const codes = ["ProvisioningState/succeeded", `PowerState/${machine.state}`];
  return { status: 200, body: { statuses: codes.map((code) => ({ code, level: "Info" })) } };
}

/** A page of a list: its entries, and the link to the next page if there is one. */
function pageOf(all: readonly object[], url: URL, { loops, page }: World): object {
  if (page !== undefined) return page;
  if (loops) return { value: all.slice(0, 2), nextLink: url.href };
  const at = Number(url.searchParams.get("$skiptoken") ?? 0);
  const next = new URL(url);
  next.searchParams.set("$skiptoken", String(at + 2));
  return { value: all.slice(at, at + 2), ...(at + 2 < all.length && { nextLink: next.href }) };
}
