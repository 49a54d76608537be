import { createHash, createHmac } from "node:crypto";

/** Credentials as the SDK returns them. */
export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

/** A POST request to an AWS service that uses the JSON protocol. */
export interface JsonRequest {
  readonly service: string;
  readonly region: string;
  readonly url: URL;
  /** `ServiceQuotasV20190624.GetServiceQuota`. */
  readonly target: string;
  readonly body: string;
}

/**
 * The headers of a request, signed with Signature Version 4
 * (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html). This is for services
 * whose SDK furrow does not otherwise need.
 */
export function signedHeaders(request: JsonRequest, credentials: Credentials, now: Date): Record<string, string> {
  const { service, region, url, target, body } = request;
  const time = now.toISOString().replaceAll(/[-:]|\.\d+/g, "");
  const scope = `${time.slice(0, 8)}/${region}/${service}/aws4_request`;
  const headers: Record<string, string> = {
    "content-type": "application/x-amz-json-1.1",
    host: url.host,
    "x-amz-date": time,
    ...(credentials.sessionToken !== undefined && { "x-amz-security-token": credentials.sessionToken }),
    "x-amz-target": target,
  };
  const names = Object.keys(headers).toSorted();
  const lines = names.map((name) => `${name}:${headers[name] ?? ""}\n`).join("");
  const canonical = ["POST", url.pathname, "", lines, names.join(";"), sha256(body)].join("\n");
  const text = ["AWS4-HMAC-SHA256", time, scope, sha256(canonical)].join("\n");
  const key = scope
    .split("/")
    .reduce<Buffer | string>((secret, part) => hmac(secret, part), `AWS4${credentials.secretAccessKey}`);
  const signature = hmac(key, text).toString("hex");
  const credential = `Credential=${credentials.accessKeyId}/${scope}`;
  const { host: _host, ...sent } = headers;
  return {
    ...sent,
    authorization: `AWS4-HMAC-SHA256 ${credential}, SignedHeaders=${names.join(";")}, Signature=${signature}`,
  };
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function hmac(key: Buffer | string, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}
