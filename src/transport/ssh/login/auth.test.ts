import { expect, it } from "vitest";
import type { Address } from "../../../core/host/transport.ts";
import { secretOf } from "../../../core/secrets/secret.ts";
import { authentication } from "./auth.ts";

const address = {
  name: "web1",
  address: "192.0.2.7",
  user: "root",
  identityFiles: ["/nowhere/id"],
  identitiesOnly: false,
} as unknown as Address;
const hint = "Correct the path of the private key (identityFile): /nowhere/id does not exist";

it("says in the hint that the only private key does not exist", async () => {
  await expect(authentication(address, undefined)).rejects.toMatchObject({ code: "E_AUTH", failure: { hint } });
});

it("says so too if the host refused the other credentials", async () => {
  const withPassword = { ...address, password: secretOf("x", "ssh-password") };
  expect((await authentication(withPassword, undefined)).refused(undefined)).toMatchObject({ failure: { hint } });
});
