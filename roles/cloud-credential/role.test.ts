import { describe, expect, test } from "vitest";
import { explain } from "../../src/testing/index.ts";
import { credentialsSchema } from "./credentials.ts";
import { credentialsValid } from "./credentials-valid.ts";

test("refuses a URL with a password, and hides the API token", () => {
  const vars = { kubeconfig: "k", rancherUrl: "https://me:pass@rancher", rancherToken: "token-x:y" };
  expect(credentialsSchema.safeParse(vars).error?.issues[0]?.message).toContain("a URL like");
  expect(`${credentialsSchema.parse({ ...vars, rancherUrl: "https://rancher" }).rancherToken}`).not.toContain(
    "token-x",
  );
});

test("refuses to send the API token unencrypted, except to this machine", () => {
  const issueOf = (rancherUrl: string): string | undefined =>
    credentialsSchema.safeParse({ kubeconfig: "k", rancherUrl, rancherToken: "token-x:y" }).error?.issues[0]?.message;
  expect(issueOf("http://rancher.example.org")).toBe(
    "a URL with https://, because the API token would be sent unencrypted",
  );
  for (const url of ["http://127.0.0.1:8080", "http://localhost", "https://rancher"])
    expect(issueOf(url)).toBeUndefined();
});

describe("the credentials", () => {
  const valid = { shown: "lab", cluster: "c-m-1", expires: "", state: "its token does not expire", due: false };
  const ended = { ...valid, state: "its token expired at 2026-05-01T00:00:00Z", due: true };
  const ask = (found: object) =>
    explain(credentialsValid({ kubeconfig: "k", url: "https://rancher", token: "t", renewBeforeSeconds: 60 }), {
      found,
    });

  test("stay as they are while they are valid", () => {
    const { described, notes } = ask({ credentials: { "cc-1": valid } });
    expect(described).toEqual([]);
    expect(notes).toEqual(["cc-1 (lab, c-m-1): its token does not expire"]);
    expect(ask({ credentials: {} }).notes).toEqual(["Rancher has no cloud credential for Harvester"]);
  });

  test("that have expired are renewed, and no others", () => {
    const { described, notes } = ask({ credentials: { "cc-1": valid, "cc-2": ended } });
    expect(described).toEqual(["renew cc-2"]);
    expect(notes.at(-1)).toContain("to find machines that failed");
  });

  test("are refused if they cannot be read, or if an expired one cannot be renewed", () => {
    const error = { where: "Rancher's own cluster", code: "HTTP 403", message: "HTTP 403: no" };
    expect(ask({ error }).refusal?.message).toContain(
      "Rancher's own cluster does not answer as expected (HTTP 403: no)",
    );
    const silent = { where: "Rancher", code: "no-answer", message: "connect ECONNREFUSED 192.168.1.1:443" };
    expect(ask({ error: silent }).refusal?.hint).toBe(
      "Check rancherUrl, caCert and rancherToken, and whether this machine can reach Rancher",
    );
    const obstacle = "Rancher does not accept the API token";
    expect(ask({ credentials: { "cc-1": ended }, obstacle }).refusal?.message).toBe(
      "cc-1 (lab): its token expired at 2026-05-01T00:00:00Z; it cannot be renewed: Rancher does not accept the API token",
    );
    expect(ask({ credentials: { "cc-1": valid }, obstacle }).refusal).toBeUndefined();
  });
});
