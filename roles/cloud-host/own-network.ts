import { httpAnswer, type HttpAnswer, refuse, task, z } from "../../src/authoring.ts";

/** A service that returns only the client's address. */
const service = "https://checkip.amazonaws.com/";

/** Finds the controller's public address, and outputs it as a network with a single address. */
export const ownNetwork = task({
  name: "ownNetwork",
  summary: "Find the public address of this machine",
  params: z.strictObject({ url: z.url().default(service).describe("URL that answers with the address as plain text") }),
  examples: [],
  title: () => "ownNetwork",
})
  .facts(({ url }) => ({ answer: httpAnswer({ url, timeoutSeconds: 10 }) }))
  .want(({ url }, { answer }) =>
    addressIn(answer) === undefined
      ? refuse({
          code: "no-own-address",
          message: `${url} does not return this machine's public address`,
          current: reasonIn(answer),
          expected: "an address, like 192.0.2.7",
          hint: "Check the network, the proxy and DNS, or set the networks from which logins are allowed: --var manageFrom='[\"192.0.2.7/32\"]'",
        })
      : {},
  )
  .steps(() => [])
  .outputs((_p, { answer }) => `${addressIn(answer) ?? ""}/32`);

/** Why no address was found: there was no connection, or a proxy answered. */
function reasonIn(answer: HttpAnswer): string {
  if ("error" in answer) return `${answer.error.code}: ${answer.error.message}`;
  return answer.status === 200 ? answer.body.trim().slice(0, 80) : `status ${answer.status}`;
}

function addressIn(answer: HttpAnswer): string | undefined {
  if ("error" in answer || answer.status !== 200) return undefined;
  return /^\d{1,3}(\.\d{1,3}){3}$/.exec(answer.body.trim())?.[0];
}
