import { absent, type Absent, knownAfterApply, type Step, task } from "../../src/authoring.ts";
import { digitalOcean, type DigitalOceanDroplet } from "../../src/facts/catalogue.ts";
import { elsewhere, obstacleOfVolumes, obstacleToChange, obstacleToNew } from "./obstacles.ts";
import { foreign, lacking, setOf, tagsWith } from "./own.ts";
import { bareKey, params, type Params } from "./params.ts";

/** Creates, starts or deletes a droplet at DigitalOcean, and outputs how to reach it. */
export const digitalOceanDroplet = task({
  name: "digitalOceanDroplet",
  summary: "Create or start a droplet at DigitalOcean, or delete it",
  params,
  service: "digitalOcean",
  examples: [
    {
      name: "harvester",
      region: "fra1",
      size: "g-16vcpu-64gb",
      image: "debian-12-x64",
      publicKeys: ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIExample"],
      volumes: ["harvester-data-1"],
    },
    { name: "harvester", state: "absent" },
  ],
  title: (p) => `digitalOceanDroplet ${p.name}`,
  disturbs: () => [digitalOcean.all],
})
  .facts(({ name, token }) => ({ droplet: digitalOcean.droplet({ name, token }) }))
  .facts((p, { droplet }) => {
    const { token, region = "", size = "", image = "" } = p;
    const isWanted = p.state === "present";
    const isNew = isWanted && droplet === absent;
    const isResized = isWanted && droplet !== absent && droplet.size !== size;
    return {
      sizes: isNew || isResized ? [digitalOcean.size({ name: size, token })] : [],
      regions: isNew ? [digitalOcean.region({ name: region, token })] : [],
      images: isNew ? [digitalOcean.image({ name: image, token })] : [],
      keys: isNew ? p.publicKeys.map((key) => digitalOcean.sshKey({ name: bareKey(key), token })) : [],
      volumes: isWanted ? p.volumes.map((name) => digitalOcean.volume({ name, region, token })) : [],
    };
  })
  .want((p, { droplet, ...parts }) => {
    const refusal = foreign("droplet", p, droplet);
    if (refusal !== undefined) return refusal;
    if (p.state === "absent") return elsewhere(p, droplet) ?? { droplet: absent };
    const { region, size, image, vpc } = p;
    const common = {
      status: "active",
      region,
      size,
      vpc,
      volumes: setOf(p.volumes),
      tags: setOf(tagsWith(p.owner, p.tags)),
    };
    if (droplet !== absent) {
      const obstacle = obstacleToChange(p, droplet, parts.sizes) ?? obstacleOfVolumes(p, parts.volumes);
      return obstacle ?? { droplet: common };
    }
    const obstacle = obstacleToNew(p, parts) ?? obstacleOfVolumes(p, parts.volumes);
    return obstacle ?? { droplet: { ...common, image, ...decidedByProvider } };
  })
  .steps((p, { change, now: { droplet } }) => {
    if (change.droplet === undefined) return [];
    if (p.state === "absent") {
      const { name, owner, token } = p;
      const label = `delete the droplet ${name} with its disk`;
      return [digitalOcean.call({ act: "deleteDroplet", name, owner, token }, label)];
    }
    return droplet === absent ? [create(p)] : changes(p, droplet);
  })
  .outputs((p, { droplet }) => reachOf(p.name, droplet));

/** The values that are not known until the droplet exists. */
const decidedByProvider = { address: knownAfterApply, privateAddress: knownAfterApply } as const;

function create(p: Params): Step {
  const { name, region = "", size = "", image = "", volumes, vpc, owner, token } = p;
  const made = { name, region, size, image, volumes, vpc, owner, token, tags: tagsWith(owner, p.tags) };
  const publicKeys = p.publicKeys.map(bareKey);
  return digitalOcean.call({ act: "createDroplet", ...made, publicKeys }, `create the droplet ${name}`);
}

function changes(p: Params, now: DigitalOceanDroplet): Step[] {
  const { name, region = "", size = "", owner, token } = p;
  const place = { name, owner, token };
  const steps: Step[] = [];
  if (now.status === "new") {
    steps.push(digitalOcean.call({ act: "awaitDroplet", ...place }, `wait until the droplet ${name} is running`));
  }
  const missing = lacking(tagsWith(owner, p.tags), now.tags);
  if (missing.length > 0) {
    steps.push(digitalOcean.call({ act: "tagDroplet", ...place, tags: missing }, `tag the droplet ${name}`));
  }
  for (const volume of lacking(p.volumes, now.volumes)) {
    const label = `attach ${volume} to the droplet ${name}`;
    steps.push(digitalOcean.call({ act: "attachVolume", ...place, region, volume }, label));
  }
  if (now.size !== size) {
    const label = `resize the droplet ${name} to ${size}`;
    steps.push(digitalOcean.call({ act: "resizeDroplet", ...place, size }, label));
  }
  if (now.status === "off") {
    steps.push(digitalOcean.call({ act: "startDroplet", ...place }, `start the droplet ${name}`));
  }
  return steps;
}

function reachOf(name: string, droplet: DigitalOceanDroplet | Absent) {
  const { address, privateAddress } = droplet === absent ? { address: "", privateAddress: "" } : droplet;
  return { name, address, privateAddress };
}
