import { expect, test } from "vitest";
import { apiError, type ApiError, failureOf, isAbsent, isPassing, isThere } from "./errors.ts";

const error = (part: Partial<ApiError>): ApiError => ({ status: 0, grpc: 0, reason: "", message: "no", ...part });

test("a client's error is known by its HTTP status, its own or that of what caused it", () => {
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
])("%o is worth another try: %s", (failure, passes) => {
  expect(isPassing(failure)).toBe(passes);
});

test.each([
  ["The resource 'projects/p-1/zones/z/instances/lab' was not found", true],
  ["The resource 'projects/p-1/global/images/family/lab' was not found", true],
  ["The resource 'projects/p-1' was not found", false],
  ["The resource 'projects/p-1/zones/z' was not found", false],
])("%s: there is no such thing", (message, is) => {
  expect(isAbsent(error({ status: 404, message }), "lab")).toBe(is);
});

test("what is there already is told from what has changed meanwhile", () => {
  expect(isThere(error({ status: 409, message: "The resource 'x' already exists" }))).toBe(true);
  expect(isThere(error({ status: 409, message: "The resource 'x' is being changed" }))).toBe(false);
});

test("a failure says what the API says, its first line alone, and what to do", () => {
  const { code, failure } = failureOf(
    "insert instance lab",
    error({ reason: "ZONE_RESOURCE_POOL_EXHAUSTED", message: "a\nb" }),
  );
  expect(code).toBe("E_DRIVER");
  expect(failure).toMatchObject({
    what: "Compute Engine refuses to insert instance lab",
    current: "ZONE_RESOURCE_POOL_EXHAUSTED: a",
    hint: expect.stringMatching(/^Choose another zone/) as string,
  });
});
