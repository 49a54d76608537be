import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { playbook, type TaskCall } from "../../../src/authoring.ts";
import { redact } from "../../../src/core/secrets/redact.ts";
import { authOf } from "../../../src/cloud/gce/clients.ts";
import * as t from "../../../tasks/index.ts";
import { token as azureToken } from "../azure-fake/fake.ts";
import { eachWithAzureFake } from "../azure-fake/here.ts";
import type { AzureFake } from "../azure-fake/fake.ts";
import { runHere } from "../run-here.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-echo-"));
const googleToken = "ya29.token-of-this-test";
const awsToken = "FwoGZXIvYXdzEBYa-session-token-of-this-test";
const digitalOceanToken = "dop_v1_token_of_this_test";

/**
 * Refuses each request with a message that quotes the request's credential, like a proxy that reports what it has
 * received.
 */
function echo({ headers, url }: IncomingMessage, response: ServerResponse): void {
  const session = headers["x-amz-security-token"];
  const message = `you sent ${String(session ?? headers.authorization)}`;
  const body = { id: "forbidden", message, error: { code: 403, message, errors: [{ message, reason: "forbidden" }] } };
  const given = { access_token: googleToken, issued_token_type: "x", token_type: "Bearer", expires_in: 3600 };
  const xml = `<Response><Errors><Error><Code>Denied</Code><Message>${message}</Message></Error></Errors></Response>`;
  if (url === "/v1/token") response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(given));
  else if (session !== undefined) response.writeHead(403).end(xml);
  else response.writeHead(403, { "content-type": "application/json" }).end(JSON.stringify(body));
}

let server: Server;
let address = "";
beforeAll(async () => {
  server = createServer(echo);
  await new Promise<void>((settle) => server.listen(0, "127.0.0.1", settle));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => void vi.unstubAllEnvs());
afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
});

/** All errors in a run of one task: as reports show them, and as they are inside furrow. */
async function said(call: TaskCall): Promise<{ readonly shown: string; readonly inside: string }> {
  const { events } = await runHere(playbook({ name: "one", plays: [{ hosts: "all", tasks: () => [call] }] }));
  const errors = events.map((event) => ("error" in event ? JSON.stringify(event.error?.failure) : ""));
  const inside = errors.join("\n");
  return { shown: redact(inside), inside };
}

describe("a server that quotes the credential in its refusal does not make furrow print it", () => {
  test("the token of DigitalOcean", async () => {
    vi.stubEnv("DIGITALOCEAN_API_URL", address);
    vi.stubEnv("DIGITALOCEAN_ACCESS_TOKEN", digitalOceanToken);
    const { shown, inside } = await said(t.digitalOceanSshKey({ name: "web", publicKey: "ssh-ed25519 BBBB" }));
    expect(inside).toContain(digitalOceanToken);
    expect(shown).toContain("you sent Bearer «secret digitalocean-token»");
  });

  test("the session token of AWS", async () => {
    const env = { AWS_ENDPOINT_URL: address, AWS_ACCESS_KEY_ID: "TEST", AWS_SECRET_ACCESS_KEY: "a-secret-key" };
    for (const [name, value] of Object.entries({ ...env, AWS_SESSION_TOKEN: awsToken })) vi.stubEnv(name, value);
    const publicKey = `ssh-ed25519 ${"B".repeat(68)}`;
    const { shown, inside } = await said(t.ec2KeyPair({ name: "web", region: "eu-echo-1", publicKey }));
    expect(inside).toContain(awsToken);
    expect(shown).toContain("you sent «secret aws-session-token»");
    expect(redact("a-secret-key")).toBe("«secret aws-secret-key»");
  });

  test("the access token of Google", async () => {
    const file = join(folder, "google.json");
    writeFileSync(join(folder, "subject"), "subject");
    const credentials = {
      type: "external_account",
      audience: "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/q",
      subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
      token_url: `${address}/v1/token`,
      credential_source: { file: join(folder, "subject") },
    };
    writeFileSync(file, JSON.stringify(credentials));
    vi.stubEnv("CLOUDSDK_API_ENDPOINT_OVERRIDES_COMPUTE", `${address}/compute/v1/`);
    vi.stubEnv("GOOGLE_APPLICATION_CREDENTIALS", file);
    vi.stubEnv("GOOGLE_CLOUD_PROJECT", "project-1");
    const { shown, inside } = await said(t.gceNetwork({ project: "project-1", name: "lab" }));
    expect(inside).toContain(googleToken);
    expect(shown).toContain("you sent Bearer «secret google-token»");
  });
});

test("the refresh token and the client secret of a person's Google login are hidden before they are sent", async () => {
  const file = join(folder, "person.json");
  const login = { client_id: "id", client_secret: "d-client-secret", refresh_token: "1//refresh-token-of-this-test" };
  writeFileSync(file, JSON.stringify({ type: "authorized_user", ...login }));
  vi.stubEnv("GOOGLE_APPLICATION_CREDENTIALS", file);
  await authOf("instances");
  expect(redact(`${login.refresh_token} ${login.client_secret}`)).toBe(
    "«secret google-credentials» «secret google-credentials»",
  );
});

describe("in Azure", () => {
  let fake: AzureFake;
  eachWithAzureFake((made) => {
    fake = made;
  });

  test("the token is not printed either", async () => {
    const message = `you sent Bearer ${azureToken}`;
    fake.planned.push({ on: /^GET/, status: 403, code: "AuthorizationFailed", message, times: 9 });
    const { shown, inside } = await said(t.azureResourceGroup({ name: "lab", location: "westeurope" }));
    expect(inside).toContain(azureToken);
    expect(shown).toContain("you sent Bearer «secret azure-token»");
  });
});
