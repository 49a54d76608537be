import type { World } from "./world.ts";

/** Fills a region with running machines that belong to furrow. */
export function fill(world: World, count: number): void {
  for (let number = 1; number <= count; number += 1) {
    const serial = world.instances.length + 1;
    world.instances.push({
      id: world.id("i"),
      serial,
      late: 0,
      tags: new Map([
        ["Name", `${world.region}-${number}`],
        ["furrow", "1"],
        ["team", `team-${number % 7}`],
      ]),
      state: "running",
      next: [],
      type: "m8i.4xlarge",
      image: "ami-new",
      key: "web",
      groups: [],
      zone: `${world.region}a`,
      subnet: "subnet-1",
      nested: true,
      spot: false,
      token: undefined,
      address: world.behaviour.addressOf(serial),
      privateAddress: `10.0.${serial >> 8}.${serial & 255}`,
      userData: undefined,
      profile: undefined,
      isProtected: false,
      hopLimit: 1,
      silent: 0,
    });
  }
}
