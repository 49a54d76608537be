import { hostHttp, refuse, task, z } from "../../src/authoring.ts";

/** Refuses to continue if no cluster answers, because the following tasks need one. */
export const clusterThere = task({
  name: "clusterThere",
  summary: "Refuse to continue if no cluster answers",
  params: z.strictObject({ vip: z.string().describe("The cluster's virtual address") }),
  examples: [],
  title: ({ vip }) => `a cluster answers at ${vip}`,
})
  .facts(({ vip }) => ({ answer: hostHttp({ url: `https://${vip}/ping`, timeoutSeconds: 10, insecure: true }) }))
  .want(({ vip }, { answer }) => {
    if ("status" in answer && answer.body.trim() === "pong") return {};
    return refuse({
      code: "no-cluster",
      message: `no cluster answers at https://${vip}/ping`,
      current: "error" in answer ? answer.error.message : `${answer.status} ${answer.body.slice(0, 80)}`,
      expected: "pong",
      hint: "Deploy one with the harvester playbook, or start it with harvester-restart",
    });
  })
  .steps(() => []);
