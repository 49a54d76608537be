import { describe, expect, test, vi } from "vitest";
import { type Playbook, playbook } from "../../../src/authoring.ts";
import { digitalOceanSshKey } from "../../../tasks/digital-ocean-ssh-key/digital-ocean-ssh-key.ts";
import { destroy, provision } from "./books.ts";
import type { DigitalOceanFake } from "../digitalocean-fake/fake.ts";
import { eachWithDigitalOceanFake } from "../digitalocean-fake/here.ts";
import { type RunHere, runHere } from "../run-here.ts";

let fake: DigitalOceanFake;
eachWithDigitalOceanFake((made) => {
  fake = made;
});

const outcomes = ({ tasks }: RunHere): unknown[] => tasks.map(({ outcome }) => outcome);
const changed = ["changed", "changed", "changed", "changed"];
const all = { droplets: ["lab"], volumes: ["lab-data"], keys: ["lab (made by furrow)"], firewalls: ["lab"] };
const key = playbook({
  name: "one key",
  plays: [{ hosts: "all", tasks: () => [digitalOceanSshKey({ name: "web", publicKey: "ssh-ed25519 BBBB" })] }],
});

describe("the API's failures", () => {
  const failure = async (one: Playbook): Promise<string> => {
    const { tasks } = await runHere(one);
    const { what, current, hint } = tasks.find(({ outcome }) => outcome === "failed")?.error?.failure ?? {};
    return [what, current, hint].filter(Boolean).join(" | ");
  };

  test("a missing token, a wrong one, and one that must not travel unencrypted", async () => {
    vi.stubEnv("DIGITALOCEAN_ACCESS_TOKEN", "");
    expect(await failure(key)).toMatch(/there is no API token.*\| Set DIGITALOCEAN_ACCESS_TOKEN/);
    vi.stubEnv("DIGITALOCEAN_ACCESS_TOKEN", "dop_v1_wrong");
    const wrong = await failure(key);
    expect(wrong).toMatch(/unauthorized: Unable to authenticate you\. \| Set DIGITALOCEAN_ACCESS_TOKEN/);
    expect(wrong).not.toContain("dop_v1_wrong");
    vi.stubEnv("DIGITALOCEAN_API_URL", "http://192.0.2.1/");
    expect(await failure(key)).toMatch(/DIGITALOCEAN_API_URL is not an https URL/);
  });

  test("a token without a scope", async () => {
    fake.planned.push({ on: /POST account/, status: 403, id: "forbidden", message: "You lack scopes", times: 9 });
    expect(await failure(key)).toMatch(/forbidden: You lack scopes \| Give the token the scopes/);
  });

  test("waits out throttling, and retries queries after server errors", async () => {
    const many = { id: "too_many_requests", message: "API rate limit exceeded" };
    fake.planned.push({ on: /^POST/, status: 429, ...many, times: 2 });
    fake.planned.push({ on: /^GET/, status: 503, id: "service_unavailable", message: "", times: 2 });
    expect(outcomes(await runHere(provision))).toEqual(changed);
    expect(fake.account.things()).toEqual(all);
  });

  describe("a list that the API does not return completely", () => {
    const next = { pages: { next: "https://api.digitalocean.com/v2/volumes?page=2" } };

    test("is read to its end, even if a page is empty", async () => {
      await runHere(provision);
      const first = new Map<string, object>();
      fake.paged = (call, page, body) => {
        if (page > 1) return first.get(call) ?? body;
        const key = Object.keys(body)[0] ?? "";
        first.set(call, body);
        return { ...body, [key]: [], links: next };
      };
      expect(outcomes(await runHere(destroy))).toEqual(changed);
      expect(fake.account.things()).toEqual({});
    });

    test.each([
      ["always has a next page", { volumes: [], links: next, meta: { total: 1 } }, "the list has more than 500 pages"],
      ["has fewer entries than it says", { volumes: [], links: {}, meta: { total: 1 } }, "the list has 0 of 1 entries"],
      ["has no total", { volumes: [], links: {} }, "the response does not say how many entries the list has"],
    ])("is an error, and does not make a volume count as absent, if the list %s", async (_what, body, says) => {
      await runHere(provision);
      fake.paged = (call, _page, real) => (call === "GET volumes" ? body : real);
      const failed = await failure(destroy);
      expect(failed).toContain("does not return the whole list");
      expect(failed).toContain(says);
      expect(fake.account.things()).toMatchObject({ volumes: ["lab-data"] });
    });
  });

  test('destroy does not report a droplet as absent because its list is only {"droplets":[]}', async () => {
    await runHere(provision);
    fake.paged = (call, _page, real) => (call === "GET droplets" ? { droplets: [] } : real);
    expect(await failure(destroy)).toContain("does not return the whole list");
    expect(fake.account.things()).toMatchObject({ droplets: ["lab"] });
  });

  test("a lost response to a creation does not lead to a second droplet", async () => {
    let cuts = 0;
    const lose = fake.settings;
    lose.lost = (call) => {
      const isLost = call === "POST droplets" && cuts === 0;
      if (isLost) cuts += 1;
      return isLost;
    };
    expect(outcomes(await runHere(provision))).toEqual(changed);
    expect(fake.account.things()).toEqual(all);
    expect(fake.calls.filter((call) => call === "POST droplets")).toHaveLength(1);
  });
});
