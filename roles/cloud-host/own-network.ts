import { httpAnswer, type HttpAnswer, refuse, task, z } from "../../src/authoring.ts";

/** Who answers with the address that asked; its body is that address and nothing else. */
const service = "https://checkip.amazonaws.com/";

/** Looks under which public address the controller goes out; puts it out as a network of one address. */
export const ownNetwork = task({
  name: "ownNetwork",
  summary: "Look under which public address this machine goes out",
  params: z.strictObject({ url: z.url().default(service).describe("Who tells it, as bare text") }),
  examples: [],
  title: () => "ownNetwork",
})
  .facts(({ url }) => ({ answer: httpAnswer({ url, timeoutSeconds: 10 }) }))
  .want(({ url }, { answer }) =>
    addressIn(answer) === undefined
      ? refuse({
          code: "no-own-address",
          message: `${url} does not tell under which address this machine goes out`,
          hint: "Give the networks that may log in: --var manageFrom='[\"192.0.2.7/32\"]'",
        })
      : {},
  )
  .steps(() => [])
  .outputs((_p, { answer }) => `${addressIn(answer) ?? ""}/32`);

function addressIn(answer: HttpAnswer): string | undefined {
  if ("error" in answer || answer.status !== 200) return undefined;
  return /^\d{1,3}(\.\d{1,3}){3}$/.exec(answer.body.trim())?.[0];
}
