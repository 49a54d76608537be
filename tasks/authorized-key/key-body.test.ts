import { describe, expect, test } from "vitest";
import { keyFault } from "./key-body.ts";
import { parseKey } from "./keys.ts";

// The public halves of keys that ssh-keygen made for this test; the private halves were deleted.
const ed25519 = "AAAAC3NzaC1lZDI1NTE5AAAAIO6eXHXpx9/NlGvdjo3hvgnr9Hugwq4/6KJmJZ+cmPn8";
const rsa =
  "AAAAB3NzaC1yc2EAAAADAQABAAABAQCVJitkiO2lU/hiAbaA69BVzfNMqeyBKD+Pebol1XDmTeGI3BTu8rBEDJaewkP65EcwB3LcRl8WXR010Zo6Xwjtv302XThrgNBPdMe8voDrESDuCs5BOUqEHgM40VGIfRfPS8RFsAyUigQLRFJSBSyZbVhOv2ZWbWYUWV8BlrqLgMkwDRnFUc/oseYGAbnzDbswsF6RUnil0mt55IBNqDMcFwKu0I/+QjZ+KSHIvQ/b8QM1xac7eebQZtSuWJg7TAY5tJRkoGsbmCeA77JYwErWN4RlIIqSkQD8F/eN6/DeS3VdZDDzCwesZEhr8EZcgakFyVxLbKO8OaK6SpClaVyh";
const p256 =
  "AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBME1WlYHjVD3IWtlbsIgP1AIhPUWNxOw3LwOdoCCTeWHOWbMmXjC0Cet2+lkCdrdMj6Vu/tXTXY/sY6ErqPnCKk=";
const p521 =
  "AAAAE2VjZHNhLXNoYTItbmlzdHA1MjEAAAAIbmlzdHA1MjEAAACFBAFjL9w7P+HyQASGcVnSkTT5FJmaT5fwCjsQxV7RiwDReSP40+QXZQgMu+jZ61rbAlY5sYmNeXJpeuWLnvxCB3LyZgF75vRAR0Ea++9TWZaDxPLYFawYYoa/gyiVELD2xILq5I0nJQxQIVZNQLbWjD5ECHHkIQ7qwsK3RYGiEs7ObOyFZw==";
const certificate =
  "AAAAHHNzaC1yc2EtY2VydC12MDFAb3BlbnNzaC5jb20AAAAgD87Lf7Yt0pUIqwapylW9SAzkX2RQ/D3XkN3vv5rVsZQAAAADAQABAAABAQCVJitkiO2lU/hiAbaA69BVzfNMqeyBKD+Pebol1XDmTeGI3BTu8rBEDJaewkP65EcwB3LcRl8WXR010Zo6Xwjtv302XThrgNBPdMe8voDrESDuCs5BOUqEHgM40VGIfRfPS8RFsAyUigQLRFJSBSyZbVhOv2ZWbWYUWV8BlrqLgMkwDRnFUc/oseYGAbnzDbswsF6RUnil0mt55IBNqDMcFwKu0I/+QjZ+KSHIvQ/b8QM1xac7eebQZtSuWJg7TAY5tJRkoGsbmCeA77JYwErWN4RlIIqSkQD8F/eN6/DeS3VdZDDzCwesZEhr8EZcgakFyVxLbKO8OaK6SpClaVyhAAAAAAAAAAAAAAABAAAAAmlkAAAACAAAAARyb290AAAAAAAAAAD//////////wAAAAAAAACCAAAAFXBlcm1pdC1YMTEtZm9yd2FyZGluZwAAAAAAAAAXcGVybWl0LWFnZW50LWZvcndhcmRpbmcAAAAAAAAAFnBlcm1pdC1wb3J0LWZvcndhcmRpbmcAAAAAAAAACnBlcm1pdC1wdHkAAAAAAAAADnBlcm1pdC11c2VyLXJjAAAAAAAAAAAAAAAzAAAAC3NzaC1lZDI1NTE5AAAAIO6eXHXpx9/NlGvdjo3hvgnr9Hugwq4/6KJmJZ+cmPn8AAAAUwAAAAtzc2gtZWQyNTUxOQAAAEDW2TueksDnr0A65vKRtPeEnskyXKSxE4824NReVJcDMno3lmztIvk1dxHuJayVwci7NRjE4ZEzI22FDtFUvokG";

const body = (...parts: readonly (string | number)[]): string =>
  Buffer.concat(
    parts.flatMap((part) => {
      const bytes = typeof part === "string" ? Buffer.from(part) : Buffer.alloc(part, 4);
      const length = Buffer.alloc(4);
      length.writeUInt32BE(bytes.length);
      return [length, bytes];
    }),
  ).toString("base64");
const fault = (line: string): string | undefined => {
  const key = parseKey(line);
  if (key === undefined) throw new Error(`not a key: ${line}`);
  return keyFault(key);
};

describe("keyFault", () => {
  test.each([
    ["ssh-ed25519", ed25519],
    ["ssh-rsa", rsa],
    ["ecdsa-sha2-nistp256", p256],
    ["ecdsa-sha2-nistp521", p521],
    ["ssh-rsa-cert-v01@openssh.com", certificate],
    ["ssh-dss", body("ssh-dss", 129, 21, 128, 128)],
    ["sk-ssh-ed25519@openssh.com", body("sk-ssh-ed25519@openssh.com", 32, "ssh:")],
    ["sk-ecdsa-sha2-nistp256@openssh.com", body("sk-ecdsa-sha2-nistp256@openssh.com", "nistp256", 65, "ssh:")],
    ["ssh-new@example.org", body("ssh-new@example.org", 40)],
  ])("a complete key of type %s has no fault", (type, blob) => {
    expect(fault(`${type} ${blob} ana@laptop`)).toBeUndefined();
    expect(fault(`no-pty,from="10.0.0.0/8" ${type} ${blob}`)).toBeUndefined();
  });

  test.each([
    { what: "a truncated key", line: `ssh-ed25519 ${ed25519.slice(0, 40)}`, says: /cut off/ },
    { what: "only the beginning of a key", line: "ssh-ed25519 AAAA", says: /cut off/ },
    { what: "a truncated RSA key", line: `ssh-rsa ${rsa.slice(0, -40)}`, says: /cut off/ },
    { what: "a truncated certificate", line: "ssh-rsa-cert-v01@openssh.com AAAAHHNzaC1y", says: /cut off/ },
    { what: "a word", line: "ssh-rsa notakey", says: /base64/ },
    { what: "truncated base64", line: `ssh-rsa ${rsa.slice(0, -1)}`, says: /base64/ },
    { what: "two keys in one", line: `ssh-ed25519 ${ed25519}${ed25519}`, says: /cut off or damaged/ },
    { what: "a body of another type", line: `ssh-rsa ${ed25519}`, says: /contains a key of type "ssh-ed25519"/ },
    { what: "an unknown type", line: `ssh-foo ${body("ssh-foo", 32)}`, says: /"ssh-foo", which sshd does not know/ },
    { what: "31 bytes", line: `ssh-ed25519 ${body("ssh-ed25519", 31)}`, says: /cut off or damaged/ },
    { what: "an RSA key without its modulus", line: `ssh-rsa ${body("ssh-rsa", 3)}`, says: /cut off or damaged/ },
    {
      what: "a curve that does not match the type",
      line: `ecdsa-sha2-nistp256 ${body("ecdsa-sha2-nistp256", "nistp384", 65)}`,
      says: /cut off or damaged/,
    },
  ])("reports $what", ({ line, says }) => {
    expect(fault(line)).toMatch(says);
  });
});
