import { expect, it } from "vitest";
import { FurrowError } from "../core/errors.ts";
import type { Address } from "../core/host/transport.ts";
import { untilConnected } from "./connect-retries.ts";

it("reports each failed attempt while it keeps trying", async () => {
  const address = { name: "web1", address: "192.0.2.1", port: 22, connectTimeoutSeconds: 30 } as Address;
  const heard: FurrowError[] = [];
  let attempts = 0;
  const attempt = (): Promise<string> => {
    attempts += 1;
    const refused = new FurrowError("E_UNREACHABLE", { what: "no connection", current: "ECONNREFUSED" });
    return attempts < 3 ? Promise.reject(refused) : Promise.resolve("connected");
  };
  const link = await untilConnected(address, new AbortController().signal, attempt, (error) => heard.push(error));
  expect(link).toBe("connected");
  expect(heard.map(({ failure }) => [failure.where?.host, failure.current])).toEqual([
    ["web1", "ECONNREFUSED"],
    ["web1", "ECONNREFUSED"],
  ]);
});
