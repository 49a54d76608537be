import { expect, test } from "vitest";
import { holdsUrlSecret, loginsIn, withoutUrlSecrets } from "./url-secrets.ts";

test.each([
  ["a password", "https://ann:h@host/x", "https://ann:…@host/x"],
  ["a password of digits", "https://ann:1234@host/x", "https://ann:…@host/x"],
  ["a password with an at sign", "https://ann:h@h@host/x", "https://ann:…@host/x"],
  ["a password with a slash", "https://ann:a/b@host/x", "https://ann:…@host/x"],
  ["a token in place of a user", "https://ghp_SECRET@x/1", "https://…@x/1"],
  ["a key of S3", "s3://AKIA:SECRET@b/", "s3://AKIA:…@b/"],
  ["a URL inside a text", 'cannot get "https://t@x/1" now', 'cannot get "https://…@x/1" now'],
  [
    "a presigned URL of S3",
    "https://b.s3.amazonaws.com/k?X-Amz-Credential=A&X-Amz-Signature=0af&x=1",
    "https://b.s3.amazonaws.com/k?X-Amz-Credential=…&X-Amz-Signature=…&x=1",
  ],
  ["a presigned URL of Azure", "https://a.blob/k?sv=1&sig=a%2Bb%3D", "https://a.blob/k?sv=1&sig=…"],
  [
    "a presigned URL of CloudFront",
    "https://c/k?Expires=1&Signature=ab~&Key-Pair-Id=K",
    "https://c/k?Expires=1&Signature=…&Key-Pair-Id=K",
  ],
  ["a token as a parameter", "https://x/1?access_token=abc#top", "https://x/1?access_token=…#top"],
])("hides %s", (_what, text, shown) => {
  expect(withoutUrlSecrets(text)).toBe(shown);
  expect(holdsUrlSecret(text)).toBe(true);
});

test.each([
  "https://host:8080/path/x@2",
  "https://host/a@b",
  "https://host/x?design=1&to=a@b",
  "ssh://git@host/repo",
  "git@host:repo.git",
  "nfs://nas:/backups",
  "https://[::1]:6443/x@1",
  "no URL, but sig=abc",
])("leaves %s as it is", (text) => {
  expect(withoutUrlSecrets(text)).toBe(text);
  expect(holdsUrlSecret(text)).toBe(false);
});

test.each([
  ["http://proxy:3128", []],
  ["internal", []],
  ["http://me@", ["me@"]],
  ["http://me:@proxy", []],
  ["http://a:b@proxy", ["a:b"]],
  ["http://proxy:internal@proxy", ["proxy:internal"]],
  ["me:pa%40ss-1@proxy", ["me:pa%40ss-1", "pa%40ss-1", "pa@ss-1"]],
  ["http://me:100%25%@proxy", ["me:100%25%", "100%25%", "100%25%"]],
  ["http://ghp_T0KEN@proxy", ["ghp_T0KEN@", "ghp_T0KEN", "ghp_T0KEN"]],
  ["http://me:correcthorsebattery@proxy", ["me:correcthorsebattery", "correcthorsebattery", "correcthorsebattery"]],
] as const)("the secrets in %s are %j", (text, logins) => {
  expect(loginsIn(text)).toEqual(logins);
});
