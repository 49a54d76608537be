import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { checkProfile } from "./profile.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-profile-"));
afterAll(() => rmSync(folder, { recursive: true }));
const AWS_CONFIG_FILE = join(folder, "config");
const AWS_SHARED_CREDENTIALS_FILE = join(folder, "credentials");
writeFileSync(
  AWS_CONFIG_FILE,
  "[default]\nregion = eu-west-1\n[profile work]\nregion=eu-central-1\n[sso-session me]\n",
);
writeFileSync(AWS_SHARED_CREDENTIALS_FILE, "[keys-only]\naws_access_key_id = x\n");
const files = { AWS_CONFIG_FILE, AWS_SHARED_CREDENTIALS_FILE };

describe("the profile in AWS_PROFILE", () => {
  it.each(["work", "default", "keys-only", "", undefined])("is accepted: %s", (AWS_PROFILE) => {
    expect(() => checkProfile({ ...files, AWS_PROFILE })).not.toThrow();
  });

  it.each(["wrok", "me"])("is reported as unknown, instead of a missing region: %s", (AWS_PROFILE) => {
    expect(() => checkProfile({ ...files, AWS_PROFILE })).toThrow(
      expect.objectContaining({
        failure: expect.objectContaining({
          what: expect.stringContaining(`the profile "${AWS_PROFILE}"`),
          expected: "one of default, work, keys-only",
        }),
      }),
    );
  });
});
