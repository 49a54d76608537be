import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { absent } from "../../core/facts/symbols.ts";
import { type Ec2, ec2In } from "./client.ts";
import { rawInstance } from "./instance.ts";
import { keyPair } from "./key-pair.ts";
import { listMachines } from "./machines.ts";
import { address } from "./network/address.ts";
import { vpc } from "./network/vpc.ts";
import { volume } from "./volume.ts";

let list = "";
const server = createServer((_request, response) => {
  response.setHeader("content-type", "text/xml");
  response.end(list);
});

beforeAll(async () => {
  await new Promise<void>((settle) => server.listen(0, "127.0.0.1", settle));
});
beforeEach(() => {
  vi.stubEnv("AWS_ENDPOINT_URL", `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  vi.stubEnv("AWS_ACCESS_KEY_ID", "test");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "test");
});
afterEach(() => vi.unstubAllEnvs());
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** An EC2 API that always sends the same response. */
function ec2With(text: string): Promise<Ec2> {
  list = text;
  return ec2In("eu-west-1", new AbortController().signal);
}

const asks: readonly (readonly [sort: string, action: string, set: string, ask: (ec2: Ec2) => Promise<unknown>])[] = [
  ["instance", "DescribeInstances", "reservationSet", (ec2) => rawInstance(ec2, "lab")],
  ["volume", "DescribeVolumes", "volumeSet", (ec2) => volume(ec2, "lab")],
  ["address", "DescribeAddresses", "addressesSet", (ec2) => address(ec2, "lab")],
  ["key pair", "DescribeKeyPairs", "keySet", (ec2) => keyPair(ec2, "lab")],
  ["VPC", "DescribeVpcs", "vpcSet", (ec2) => vpc(ec2, "lab")],
];

test.each(asks)(
  "EC2's %s does not count as absent if the response contains no list",
  async (_sort, action, _set, ask) => {
    for (const text of [`<${action}Response><requestId>1</requestId></${action}Response>`, "<html>Log in</html>", ""]) {
      await expect(ask(await ec2With(text))).rejects.toThrow(/the response is not an EC2 list/);
    }
  },
);

test.each(asks)("EC2's %s is absent if the list is present but empty", async (_sort, action, set, ask) => {
  expect(await ask(await ec2With(`<${action}Response><${set}/></${action}Response>`))).toBe(absent);
});

test("reading an inventory of EC2 fails if the response contains no list", async () => {
  await ec2With("<html>Log in</html>");
  await expect(listMachines("eu-west-1", {}, new AbortController().signal)).rejects.toThrow(/is not an EC2 list/);
});

test("a reservation without its list of instances is an error", async () => {
  const reservation = "<item><reservationId>r-1</reservationId></item>";
  const text = `<DescribeInstancesResponse><reservationSet>${reservation}</reservationSet></DescribeInstancesResponse>`;
  await expect(rawInstance(await ec2With(text), "lab")).rejects.toThrow(/is not an EC2 list/);
});
