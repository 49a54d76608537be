import { expect, test } from "vitest";
import { accountKey } from "./inventory.ts";

const role = { AWS_ROLE_ARN: "arn:aws:iam::1:role/ci", AWS_WEB_IDENTITY_TOKEN_FILE: "/run/token" };

test.each([
  { AWS_ROLE_ARN: "arn:aws:iam::2:role/ci" },
  { AWS_CONFIG_FILE: "/home/ci/other" },
  { AWS_PROFILE: "prod" },
  { AWS_REGION: "us-east-1" },
])("a cached list of machines is not used for another account or region: %j", (other) => {
  expect(accountKey({ ...role, ...other, PATH: "/bin" })).not.toBe(accountKey({ ...role, PATH: "/bin" }));
});

test("a cached list of machines is used again with the same credentials, whatever else is in the environment", () => {
  expect(accountKey({ ...role, PATH: "/bin" })).toBe(accountKey({ PATH: "/usr/bin", ...role }));
  expect(accountKey({ ...role, AWS_SECRET_ACCESS_KEY: "hunter2" })).not.toContain("hunter2");
});
