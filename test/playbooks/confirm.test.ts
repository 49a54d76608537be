import { expect, test } from "vitest";
import destroyCloud from "../../playbooks/clouds/destroy-cloud.ts";
import harvesterDestroy from "../../playbooks/harvester-destroy.ts";
import { confirmRun } from "../../src/cli/run/confirm.ts";
import type { FurrowError } from "../../src/core/errors.ts";
import type { Playbook } from "../../src/core/authoring/playbook.ts";

/** The question that a playbook asks if one host has these vars; the answer is always wrong. */
async function asked(playbook: Playbook, vars: object): Promise<string | undefined> {
  let question: string | undefined;
  const hosts = [{ name: "vm-1", address: "192.0.2.7", groups: [], vars: {} }];
  const ask = (before: string, last: string): Promise<string> => {
    question = before + last;
    return Promise.resolve("wrong");
  };
  const { signal } = new AbortController();
  const request = { playbook, mode: "apply", varsOf: () => vars } as const;
  const error = await confirmRun(request, hosts, { yes: false, signal, ask }).catch((thrown: unknown) => thrown);
  const code = (error as FurrowError | undefined)?.code;
  expect(code).toBe(question === undefined ? undefined : "E_REFUSED");
  return question;
}

test("destroy-cloud names the machine, its location and everything that is removed with it, and asks for the prefix", async () => {
  const zone = "europe-west3-a";
  expect(await asked(destroyCloud, { prefix: "lab", region: "eu-central-1", zone })).toMatch(
    /machine lab in eu-central-1 of AWS \(cloud is not given, so this is AWS EC2; .*--var cloud=digitalocean.*\), all its disks .* key pair and own network\nType lab to continue:$/,
  );
  expect(await asked(destroyCloud, { prefix: "lab", zone, project: "project-1" })).toMatch(
    /machine lab in europe-west3-a of the Google Cloud project project-1 \(a project is given, so this is Google Cloud; .*\), .* network\nType lab to continue:$/,
  );
  expect(await asked(destroyCloud, { prefix: "lab", zone, cloud: "azure", deleteGroup: false })).toMatch(
    /machine lab in the resource group lab in Azure, .* network\nType lab to continue:$/,
  );
  expect(await asked(destroyCloud, { prefix: "lab", zone, cloud: "azure", deleteGroup: true })).toMatch(
    /machine lab in the resource group lab in Azure, .* network and the resource group itself\nType lab to continue:$/,
  );
  expect(await asked(destroyCloud, { prefix: "lab", zone, cloud: "digitalocean" })).toMatch(
    /machine lab in whichever region of DigitalOcean it is in, .* firewall and SSH key\nType lab to continue:$/,
  );
  expect(await asked(destroyCloud, { prefix: "lab", region: "ams3", cloud: "digitalocean" })).toMatch(
    /machine lab in ams3 at DigitalOcean, /,
  );
});

test("harvester-destroy asks only if it would delete disk images, and then for the host's name", async () => {
  expect(await asked(harvesterDestroy, { removeDisks: false })).toBeUndefined();
  expect(await asked(harvesterDestroy, { removeDisks: true })).toMatch(/nodes on vm-1, .*\nType vm-1 to continue:$/);
});
