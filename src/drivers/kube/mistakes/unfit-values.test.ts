import { describe, expect, test } from "vitest";
import { secretOf } from "../../../core/secrets/secret.ts";
import type { KubeObjectData } from "../../../facts/controller/kube-object.ts";
import { withUnfitValues } from "./unfit-values.ts";

const metadata = { name: "web", namespace: "shop" };
const said = (object: KubeObjectData, message: string): string => {
  const problem = { code: "invalid-object", message: `It is not valid: ${message}`, hint: "Correct the object" };
  return withUnfitValues(object, problem).message;
};

describe("a quantity that is not one", () => {
  const about = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
  const deployment = (limits: object, more: object = {}): KubeObjectData => {
    const container = { name: "web", image: "4 GB", resources: { limits, requests: { cpu: "500m" } }, ...more };
    return { apiVersion: "apps/v1", kind: "Deployment", metadata, spec: { template: { containers: [container] } } };
  };

  test("is named with its field and its value", () => {
    expect(said(deployment({ memory: "4 GB", cpu: 2 }), about)).toBe(
      `It is not valid: spec.template.containers[0].resources.limits.memory is "4 GB", which is not a quantity such as 4Gi or 500m: ${about}`,
    );
    expect(said(deployment({ memory: "4Gi", cpu: "1e3" }), about)).toBe(`It is not valid: ${about}`);
    expect(said(deployment({ memory: "4GB" }), "unable to parse quantity's suffix")).toContain(
      'limits.memory is "4GB"',
    );
    expect(said(deployment({ memory: "4 GB" }), "something else")).toBe("It is not valid: something else");
  });

  test("is named without a value that may be secret", () => {
    const value = String(secretOf("4 GB of LEAKME", "size"));
    const text = said(deployment({ memory: value }), about);
    expect(text).toContain("limits.memory is not a quantity such as 4Gi or 500m");
    expect(text).not.toContain("secret");
  });

  test("is named in each object that has one", () => {
    const spec = { hard: { "requests.memory": "lots" } };
    const quota = { apiVersion: "v1", kind: "ResourceQuota", metadata, spec };
    expect(said(quota, about)).toContain('spec.hard["requests.memory"] is "lots"');
  });
});

describe("data that is not base64", () => {
  const about = "illegal base64 data at input byte 4";

  test("is named by its key only", () => {
    const data = { good: "Z29vZA==", folded: "Z29v\nZA==\n", none: null, "tls.key": "LEAKME", pin: "abc" };
    const text = said({ apiVersion: "v1", kind: "Secret", metadata, data }, about);
    expect(text).toBe(`It is not valid: data["tls.key"] and data.pin are not base64: ${about}`);
    const hidden = { password: String(secretOf("LEAKME!", "password")) };
    expect(said({ apiVersion: "v1", kind: "Secret", metadata, data: hidden }, about)).toBe(
      `It is not valid: data.password is not base64: ${about}`,
    );
  });

  test("is found in other objects too", () => {
    const config = { apiVersion: "v1", kind: "ConfigMap", metadata, data: { a: "?" }, binaryData: { logo: "?" } };
    expect(said(config, about)).toBe(`It is not valid: binaryData.logo is not base64: ${about}`);
    const hook = { apiVersion: "v1", kind: "X", metadata, webhooks: [{ clientConfig: { caBundle: "?" } }] };
    expect(said(hook, about)).toContain("webhooks[0].clientConfig.caBundle is not base64");
  });
});
