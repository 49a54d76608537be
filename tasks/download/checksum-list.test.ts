import { expect, test } from "vitest";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findChecksum } from "./checksum-list.ts";

const one = "a".repeat(64);
const two = "B".repeat(64);
const long = "c".repeat(128);

test.each([
  { title: "the output of sha256sum", list: `${two}  other.iso\n${one}  image.iso\n`, algorithm: "sha256", hex: one },
  { title: "the output of sha256sum in binary mode", list: `${one} *image.iso\n`, algorithm: "sha256", hex: one },
  { title: "a list with capital letters", list: `${two}  image.iso`, algorithm: "sha256", hex: two.toLowerCase() },
  { title: "a list with CRLF", list: `${one}  image.iso\r\n`, algorithm: "sha256", hex: one },
  { title: "a list with paths", list: `${one}  ./release/image.iso\n`, algorithm: "sha256", hex: one },
  {
    title: "BSD's format",
    list: `SHA512 (image.iso) = ${long}\nSHA512 (other) = ${"d".repeat(128)}\n`,
    algorithm: "sha512",
    hex: long,
  },
  { title: "a list that is only a digest", list: `${long}\n`, algorithm: "sha512", hex: long },
  {
    title: "a signed list",
    list: `-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n${one}  image.iso\n-----BEGIN PGP SIGNATURE-----\n`,
    algorithm: "sha256",
    hex: one,
  },
  {
    title: "a list with digests of two algorithms, choosing the longer one",
    list: `${one}  image.iso\n${long}  image.iso\n`,
    algorithm: "sha512",
    hex: long,
  },
  {
    title: "a list with the same line twice",
    list: `${one}  image.iso\n${one}  image.iso\n`,
    algorithm: "sha256",
    hex: one,
  },
  {
    title: "a list that also has MD5",
    list: `MD5 (image.iso) = ${"e".repeat(32)}\n${"e".repeat(32)}  image.iso\n${one}  image.iso\n`,
    algorithm: "sha256",
    hex: one,
  },
])("finds the digest in $title", ({ list, algorithm, hex }) => {
  expect(findChecksum(list, "image.iso")).toEqual({ checksum: { algorithm, hex } });
});

test.each([
  { title: "an HTML page", list: "<html>\nNot found\n</html>", problem: "it is not a list of digests" },
  {
    title: "a list of other files",
    list: `${one}  other.iso\n`,
    problem: "it does not list image.iso, only other.iso",
  },
  {
    title: "two different digests of the file",
    list: `${one}  image.iso\n${two}  a/image.iso\n`,
    problem: "it lists 2 different sha256 digests of image.iso",
  },
  {
    title: "SHA-1",
    list: `${"f".repeat(40)}  image.iso\n`,
    problem: "its digest of image.iso is neither SHA-256 nor SHA-512",
  },
])("reports the problem with $title", ({ list, problem }) => {
  expect(findChecksum(list, "image.iso")).toEqual({ problem });
});

test.each([["sha256sum"], ["sha256sum", "--tag"], ["sha512sum", "-b"], ["busybox", "sha512sum"]])(
  "reads the output of %s %s",
  (...command) => {
    const folder = mkdtempSync(join(tmpdir(), "furrow-list-"));
    writeFileSync(join(folder, "image (1).iso"), "content");
    const list = execFileSync(command[0] ?? "", [...command.slice(1), "image (1).iso"], {
      cwd: folder,
      encoding: "utf8",
    });
    rmSync(folder, { recursive: true });
    expect(findChecksum(list, "image (1).iso")).toMatchObject({
      checksum: { hex: list.match(/[0-9a-f]{64,128}/)?.[0] },
    });
  },
);
