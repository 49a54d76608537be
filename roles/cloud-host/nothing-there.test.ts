import { expect, test } from "vitest";
import destroy from "../../playbooks/clouds/destroy-cloud.ts";
import { absent, type Json } from "../../src/authoring.ts";
import { simulate } from "../../src/testing/index.ts";

const key = (request: Json): string => JSON.stringify(request);

/**
 * Returns the notes of a removal. The simulated clouds are empty, except that requests whose key contains `found` find
 * something.
 */
async function notesOf(vars: object, found?: string): Promise<string> {
  const asked: string[] = [];
  const answer = (request: Json): unknown => {
    asked.push(key(request));
    const thing = { name: "lab", zone: "europe-west3-a", description: "of another owner", ours: false };
    const isFound = found !== undefined && key(request).includes(found);
    if (key(request).includes("instancesNamed")) return isFound ? [thing] : [];
    return isFound ? thing : absent;
  };
  const drivers = { ec2: answer, gce: answer, digitalOcean: answer, azure: answer };
  const { tasks } = await simulate(destroy, {
    hosts: ["local"],
    vars: { prefix: "lab", ...vars },
    drivers,
    mode: "check",
  });
  expect(asked.length).toBeGreaterThan(3);
  return tasks.flatMap(({ notes }) => notes).join("\n");
}

test.each([
  [
    { region: "eu-west-1" },
    "no machine lab in eu-west-1, and nothing that belongs to it: other regions were not searched",
  ],
  [{}, "no machine lab in the default region (AWS_REGION, or that of the AWS profile)"],
  [
    { project: "project-1", zone: "europe-west3-a" },
    "no machine lab in any zone of project-1, and nothing that belongs to it; subnetworks were searched for only in europe-west3",
  ],
  [{ cloud: "digitalocean" }, "no droplet lab in this account of DigitalOcean, and nothing that belongs to it;"],
  [{ cloud: "digitalocean", region: "fra1" }, "volumes were searched for only in fra1"],
  [{ cloud: "azure" }, "no machine lab in the resource group lab, and nothing that belongs to it"],
])("destroy-cloud with %j says that it found nothing, and where it looked", async (vars, note) => {
  expect(await notesOf(vars)).toContain(note);
});

test.each([
  [{ region: "eu-west-1" }, "keyPair"],
  [{ region: "eu-west-1" }, "lab-data-3"],
  [{ project: "project-1" }, "instancesNamed"],
  [{ project: "project-1" }, "lab-managed"],
  [{ cloud: "digitalocean" }, "firewall"],
  [{ cloud: "azure" }, "lab-data-5"],
])("destroy-cloud with %j does not say so if it found %s", async (vars, found) => {
  expect(await notesOf(vars, found)).not.toContain("nothing that belongs to it");
});
