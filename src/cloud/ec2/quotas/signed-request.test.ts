import { expect, test } from "vitest";
import { signedHeaders } from "./signed-request.ts";

const url = new URL("https://servicequotas.eu-central-1.amazonaws.com/");
const target = "ServiceQuotasV20190624.GetServiceQuota";
const request = { service: "servicequotas", region: "eu-central-1", url, target, body: '{"ServiceCode":"ec2"}' };
/** The example key from Amazon's documentation. */
const credentials = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY" };

// The expected signatures are those of the package @smithy/signature-v4, which the SDK uses.
test.each([
  ["long-lived credentials", {}, "e50aefdec48223c90c8e0029801b526495e7d39f89005fa2ce6f3ee1eb84f1ce"],
  ["a session", { sessionToken: "TOKEN" }, "4d67afe0bc2dac2c88c05dd004311ac041bc8030146ceddea21db34b01786aae"],
])("signs a request as the SDK does, with %s", (_what, session, signature) => {
  const { authorization } = signedHeaders(
    request,
    { ...credentials, ...session },
    new Date("2026-11-24T12:34:56.789Z"),
  );
  const names = `content-type;host;x-amz-date;${"sessionToken" in session ? "x-amz-security-token;" : ""}x-amz-target`;
  expect(authorization).toBe(
    `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20261124/eu-central-1/servicequotas/aws4_request, SignedHeaders=${names}, Signature=${signature}`,
  );
});
