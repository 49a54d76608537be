import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { FurrowError } from "../../core/errors.ts";

/**
 * Refuses an AWS_PROFILE that is not in any of the SDK's configuration files, because the SDK would ignore it and
 * complain about a missing region. The files are listed in
 * https://docs.aws.amazon.com/sdkref/latest/guide/file-location.html. Throws FurrowError E_DRIVER.
 */
export function checkProfile(env: NodeJS.ProcessEnv = process.env): void {
  const { AWS_PROFILE: profile, AWS_CONFIG_FILE, AWS_SHARED_CREDENTIALS_FILE } = env;
  if (profile === undefined || profile === "") return;
  const config = AWS_CONFIG_FILE ?? join(homedir(), ".aws/config");
  const credentials = AWS_SHARED_CREDENTIALS_FILE ?? join(homedir(), ".aws/credentials");
  const sections = [...sectionsOf(config), ...sectionsOf(credentials)];
  const known = [...new Set(sections.map((name) => name.replace(/^profile\s+/, "")))];
  if (known.includes(profile)) return;
  throw new FurrowError("E_DRIVER", {
    what: `AWS_PROFILE names the profile "${profile}", which is in neither ${config} nor ${credentials}`,
    expected: known.length === 0 ? "a profile; these files have none" : `one of ${known.join(", ")}`,
    hint: `Correct AWS_PROFILE, or create the profile: aws configure --profile ${profile}`,
  });
}

function sectionsOf(path: string): string[] {
  try {
    return [...readFileSync(path, "utf8").matchAll(/^\s*\[\s*([^\]]+?)\s*\]/gm)]
      .map(([, name = ""]) => name)
      .filter((name) => !/^(?:sso-session|services)\s/.test(name));
  } catch {
    return [];
  }
}
