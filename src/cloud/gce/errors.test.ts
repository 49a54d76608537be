import { expect, test } from "vitest";
import { apiError, type ApiError, failureOf, isAbsent, isPassing, isThere } from "./errors.ts";

const error = (part: Partial<ApiError>): ApiError => ({ status: 0, grpc: 0, reason: "", message: "no", ...part });

test("identifies a client's error by its own HTTP status or that of its cause", () => {
  expect(apiError({ httpStatusCode: 403, code: 7, reason: "SERVICE_DISABLED", message: "off" })).toEqual(
    error({ status: 403, grpc: 7, reason: "SERVICE_DISABLED", message: "off" }),
  );
  expect(apiError({ code: 14, message: "lost", cause: { status: 400 } })).toMatchObject({ status: 400, grpc: 14 });
  expect(apiError({ code: "ENOTFOUND", message: "unknown" })).toMatchObject({ status: 0, grpc: 0 });
});

test.each([
  [error({ status: 429 }), true],
  [error({ status: 503 }), true],
  [error({ grpc: 14, message: "socket hang up" }), true],
  [error({ status: 400 }), false],
  [error({ status: 403, reason: "quotaExceeded" }), false],
  [error({ status: 429, reason: "QUOTA_EXCEEDED" }), false],
  [error({ grpc: 14, message: "invalid_grant: expired" }), false],
  [error({ grpc: 7 }), false],
])("%o is worth a retry: %s", (failure, passes) => {
  expect(isPassing(failure)).toBe(passes);
});

test.each([
  ["The resource 'projects/p-1/zones/z/instances/lab' was not found", "instances/lab", true],
  ["The resource 'projects/p-1/global/images/family/lab' was not found", "images/family/lab", true],
  ["The resource 'projects/p-1' was not found", "instances/lab", false],
  ["The resource 'projects/p-1/zones/z' was not found", "instances/lab", false],
  ["The resource 'projects/lab' was not found", "instances/lab", false],
  ["The resource 'projects/p-1/zones/europe-west3-a' was not found", "instances/europe-west3-a", false],
])("tells whether the resource is absent: %s", (message, path, is) => {
  expect(isAbsent(error({ status: 404, message }), path)).toBe(is);
});

test("distinguishes an existing resource from a concurrent change", () => {
  expect(isThere(error({ status: 409, message: "The resource 'x' already exists" }))).toBe(true);
  expect(isThere(error({ status: 409, message: "The resource 'x' is being changed" }))).toBe(false);
});

test("shows the first line of the API's message, and a hint", () => {
  const { code, failure } = failureOf(
    "insert instance lab",
    error({ reason: "ZONE_RESOURCE_POOL_EXHAUSTED", message: "a\nb" }),
  );
  expect(code).toBe("E_DRIVER");
  expect(failure).toMatchObject({
    what: "cannot insert instance lab on Compute Engine",
    current: "ZONE_RESOURCE_POOL_EXHAUSTED: a",
    hint: expect.stringMatching(/^Choose another zone/) as string,
  });
});
