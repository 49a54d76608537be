import { releaseOf } from "../cluster/releases.ts";

/** Harvester's setting with the URL through which the cluster registers itself in Rancher. */
export const registrationSetting = "cluster-registration-url";

/** Returns the setting's value: the plain URL before v1.8, a JSON object as text from v1.8 on. */
export function registrationValue(version: string, url: string, insecure: boolean): string {
  return releaseOf(version).registration === "url" ? url : jsonOf(url, insecure);
}

/** All values of the setting that register the cluster with this URL, whatever the release. */
export function registrationValues(url: string): string[] {
  return [url, jsonOf(url, false), jsonOf(url, true)];
}

function jsonOf(url: string, insecureSkipTLSVerify: boolean): string {
  return JSON.stringify({ url, insecureSkipTLSVerify });
}
