import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Issuer } from "../../../test/issued.ts";
import { secretOf } from "../../core/secrets/secret.ts";
import { givenCertificate, servedCertificate } from "../../facts/controller/certificate.ts";
import { certificateDriver } from "./certificate.ts";
import { dnsDriver } from "./dns.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-certificates-"));
const own = new Issuer(folder);
const never = new AbortController().signal;

beforeAll(() => {
  own.authority("root");
  own.authority("stranger");
  own.issue("between", "root", "DNS:between", { isAuthority: true });
  own.issue("ui", "between", "DNS:harvester.example.org,DNS:*.lab.example.org,IP:192.168.10.10");
  own.issue("other", "root", "DNS:other");
});
afterAll(() => rmSync(folder, { recursive: true }));

describe("a certificate with its key", () => {
  const ask = (files: readonly string[], key: string, hosts: string[] = [], ca: string | undefined = "root.crt") =>
    certificateDriver.read(
      givenCertificate({
        certificate: own.text(...files),
        key: String(secretOf(own.text(key), "key")),
        hosts,
        ...(ca !== undefined && { ca: own.text(ca) }),
      }).request,
      never,
    );

  test("is described, with its chain and its names", async () => {
    const hosts = [
      "harvester.example.org",
      "a.lab.example.org",
      "192.168.10.10",
      "192.168.10.11",
      "b.a.lab.example.org",
    ];
    const answer = await ask(["ui.crt", "between.crt"], "ui.key", hosts);
    expect(answer).toMatchObject({
      certificates: [
        {
          subject: "CN=ui",
          issuer: "CN=between",
          names: ["harvester.example.org", "*.lab.example.org", "192.168.10.10"],
        },
        { subject: "CN=between", issuer: "CN=root" },
      ],
      matchesKey: true,
      uncovered: ["192.168.10.11", "b.a.lab.example.org"],
    });
    expect(answer).not.toHaveProperty("chainProblem");
    expect(JSON.stringify(answer)).not.toContain("PRIVATE");
  });

  test("shows that the key belongs to another certificate", async () => {
    expect(await ask(["ui.crt", "between.crt"], "other.key")).toMatchObject({ matchesKey: false });
  });

  test.each([
    [["ui.crt"], "root.crt", "the issuer of the last certificate in the file (CN=between) is not among the given"],
    [["ui.crt", "between.crt"], "stranger.crt", "(CN=root) is not among the given authorities"],
    [["ui.crt", "between.crt"], undefined, "(CN=root) is not a public authority, and no authorities are given"],
    [["ui.crt", "other.crt"], "root.crt", "certificate 2 in the file (CN=other) did not issue the one before it"],
  ])("%j with %s: the chain does not end at an authority", async (files, ca, says) => {
    const answer = (await certificateDriver.read(
      givenCertificate({
        certificate: own.text(...files),
        key: own.text("ui.key"),
        hosts: [],
        ...(ca !== undefined && { ca: own.text(ca) }),
      }).request,
      never,
    )) as { chainProblem?: string };
    expect(answer.chainProblem).toContain(says);
  });

  test.each([
    ["ui.key", "ui.key", "the certificate file does not contain a PEM certificate"],
    ["ui.crt", "ui.crt", "the private key file does not contain a PEM private key"],
  ])("%s with %s cannot be read", async (certificate, key, problem) => {
    expect(await ask([certificate], key)).toEqual({ problem });
  });
});

describe("a server's certificate", () => {
  test("is described, and the answer says whether a client would trust it", async () => {
    const server = createServer({ cert: own.text("ui.crt", "between.crt"), key: own.text("ui.key") });
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve);
    });
    const { port } = server.address() as AddressInfo;
    const ask = (name: string, ca: string) =>
      certificateDriver.read(servedCertificate({ host: "127.0.0.1", port, name, ca: own.text(ca) }).request, never);
    expect(await ask("harvester.example.org", "root.crt")).toEqual({
      certificate: expect.objectContaining({ subject: "CN=ui" }) as object,
    });
    expect(await ask("192.168.10.10", "root.crt")).not.toHaveProperty("untrusted");
    expect(await ask("elsewhere.example.org", "root.crt")).toMatchObject({
      untrusted: "the certificate is not valid for elsewhere.example.org",
    });
    expect(await ask("harvester.example.org", "stranger.crt")).toMatchObject({
      untrusted: "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
    });
    server.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.once("close", resolve));
    expect(await ask("harvester.example.org", "root.crt")).toMatchObject({ error: { code: "ECONNREFUSED" } });
  });
});

test("the addresses of a name are those that the controller's resolver returns", async () => {
  expect(await dnsDriver.read({ name: "127.0.0.1" }, never)).toEqual({ addresses: ["127.0.0.1"] });
  expect(await dnsDriver.read({ name: "no-such-name.invalid" }, never)).toHaveProperty("error");
});
