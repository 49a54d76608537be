import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test, vi } from "vitest";
import { absent } from "../../core/facts/symbols.ts";
import type { Api } from "./api.ts";
import { listMachines } from "./machines.ts";
import { type Asking, read } from "./read.ts";

const api: Api = { token: "dop_v1_test", signal: new AbortController().signal };
const stops: (() => void)[] = [];

afterEach(() => {
  vi.unstubAllEnvs();
  for (const stop of stops.splice(0)) stop();
});

/** A server that always sends the same response. */
async function answering(body: object | string): Promise<void> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const server = createServer((_request, response) => response.end(text));
  await new Promise<void>((settle) => server.listen(0, "127.0.0.1", settle));
  stops.push(() => {
    server.closeAllConnections();
    server.close();
  });
  vi.stubEnv("DIGITALOCEAN_API_URL", `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

const failureOf = async (asked: Promise<unknown>): Promise<string> => {
  try {
    return `no error, but ${JSON.stringify((await asked) === absent ? "absent" : "an answer")}`;
  } catch (error) {
    const { what, current, expected } = (error as { failure?: Record<string, string> }).failure ?? {};
    return [what ?? String(error), current, expected].filter(Boolean).join(" | ");
  }
};

const lists: readonly (readonly [list: string, asking: Asking, entry: object])[] = [
  ["droplets", { get: "droplet", name: "lab" }, { id: 1, name: "other" }],
  ["volumes", { get: "volume", name: "lab", region: "fra1" }, { id: "1", name: "other" }],
  ["volumes", { get: "volume", name: "lab", owner: "lab" }, { id: "1", name: "other" }],
  ["ssh_keys", { get: "ownKey", name: "lab" }, { id: 1, name: "other" }],
  ["ssh_keys", { get: "sshKey", name: "ssh-ed25519 AAAA" }, { id: 1, name: "other" }],
  ["firewalls", { get: "firewall", name: "lab" }, { id: "1", name: "other" }],
  ["sizes", { get: "size", name: "lab" }, { slug: "other" }],
  ["regions", { get: "region", name: "lab" }, { slug: "other" }],
];

describe.each(lists)("a list of %s whose completeness DigitalOcean does not show", (list, asking, entry) => {
  test("without meta and links is an error, and does not make the resource count as absent", async () => {
    await answering({ [list]: [] });
    const failed = await failureOf(read(api, asking));
    expect(failed).toContain("does not return the whole list");
    expect(failed).toContain("the response does not say how many entries the list has");
  });

  test.each([
    ["meta without total", { meta: {}, links: {} }],
    ["a total that is a string", { meta: { total: "0" } }],
    ["a total that is null", { meta: { total: null } }],
    ["a negative total", { meta: { total: -1 } }],
    ["a meta that is a string", { meta: "total 0" }],
  ])("is an error with %s", async (_what, parts) => {
    await answering({ [list]: [], ...parts });
    expect(await failureOf(read(api, asking))).toContain("does not return the whole list");
  });

  test("is an error if one entry appears twice in place of another", async () => {
    await answering({ [list]: [entry, entry], links: {}, meta: { total: 2 } });
    expect(await failureOf(read(api, asking))).toContain("the list has 1 of 2 entries");
  });

  test.each([
    ["null", null],
    ["a string", "lab"],
    ["an entry without a name", { id: 7 }],
  ])("is an error if an entry is %s", async (_what, wrong) => {
    await answering({ [list]: [entry, wrong], links: {}, meta: { total: 2 } });
    expect(await failureOf(read(api, asking))).toMatch(/entry 2 of the list "\w+" has no (name|slug)/);
  });

  test("is complete, and the resource absent, with a total of 0 and without links", async () => {
    await answering({ [list]: [], meta: { total: 0 } });
    expect(await read(api, asking)).toBe(absent);
  });
});

test("reading an inventory fails if the list of droplets does not show that it is complete", async () => {
  await answering({ droplets: [] });
  expect(await failureOf(listMachines(api, undefined))).toContain("does not return the whole list");
});

test.each(["{}", "<html>Welcome to the hotel's network</html>", '{"image":null}', "[]", "null"])(
  "an image does not count as absent if the response is %s",
  async (body) => {
    await answering(body);
    expect(await failureOf(read(api, { get: "image", name: "debian-13-x64" }))).toContain(
      'the response contains no "image"',
    );
  },
);
