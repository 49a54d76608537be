import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { httpDriver } from "../../src/drivers/http.ts";
import { parseInput } from "../../src/core/params/params.ts";
import { explain, readKind } from "../../src/testing/index.ts";
import { page, serve } from "../../test/web-server.ts";
import { httpWait } from "./http-wait.ts";

const url = "http://10.0.0.1/ping";
const pong = { status: 200, headers: {}, body: "pong\n" };
const message = (params: object, answer: object): string | undefined =>
  explain(httpWait({ url, ...params }), { answer }).refusal?.message;

describe("httpWait", () => {
  test("shows no token of its URL in its title and in what it waits for", () => {
    const { module, input } = httpWait({ url: "https://ghp_LEAK@host/x?sig=LEAK" });
    const params = module.card.params.parse(input) as never;
    expect(module.card.title?.(params)).toBe("httpWait https://…@host/x?sig=…");
    expect(module.poll?.(params).waitsFor).toBe("https://…@host/x?sig=… to answer 200");
  });

  test.each([
    { title: "the expected status", params: {}, answer: pong },
    { title: "one of several statuses", params: { status: [301, 302] }, answer: { ...pong, status: 302 } },
    { title: "a whole body, with or without a final line break", params: { body: "pong" }, answer: pong },
    { title: "part of a body", params: { body: { contains: "on" } }, answer: pong },
    { title: "a body that matches", params: { body: { matches: "^p.*g$" } }, answer: { ...pong, body: "pong" } },
  ])("accepts $title", ({ params, answer }) => {
    expect(explain(httpWait({ url, ...params }), { answer })).toMatchObject({ change: {}, steps: [] });
    expect(message(params, answer)).toBeUndefined();
  });

  test.each([
    {
      title: "a different status",
      params: {},
      answer: { ...pong, status: 503 },
      says: /answered 503 instead of 200; its body began: pong\. Likely: a proxy is up/,
    },
    { title: "another body", params: { body: "ping" }, answer: pong, says: /not with "ping"; its body began: pong/ },
    {
      title: "a body without the text",
      params: { body: { contains: "x" } },
      answer: { ...pong, body: "" },
      says: /without "x" in its body; its body was empty/,
    },
    {
      title: "a body that does not match",
      params: { body: { matches: "^x" } },
      answer: pong,
      says: /does not match \/\^x\//,
    },
    { title: "a missing page", params: {}, answer: { ...pong, status: 404 }, says: /nothing under that path yet/ },
    {
      title: "a closed port",
      params: {},
      answer: { error: { code: "ECONNREFUSED", message: "connect ECONNREFUSED" } },
      says: /no answer: connect ECONNREFUSED\. Likely: nothing listens there/,
    },
    {
      title: "a self-signed certificate",
      params: {},
      answer: { error: { code: "DEPTH_ZERO_SELF_SIGNED_CERT", message: "x" } },
      says: /set `caCert` to its issuer/,
    },
    {
      title: "a closed port, from the host",
      params: { from: "host" },
      answer: { error: { code: "curl 7", message: "Failed to connect" } },
      says: /requested from the host: no answer: Failed to connect\. Likely: nothing listens/,
    },
    {
      title: "a host without curl",
      params: { from: "host" },
      answer: { error: { code: "no-curl", message: "x" } },
      says: /the host has no curl/,
    },
    {
      title: "an unknown error",
      params: {},
      answer: { error: { code: "EX", message: "strange" } },
      says: /no answer: strange$/,
    },
  ])("reports the last answer and the likely cause: $title", ({ params, answer, says }) => {
    expect(message(params, answer)).toMatch(says);
  });

  test("names the answer that it waits for, and how many times in a row the answer must arrive", () => {
    const poll = httpWait.definition.poll as (params: unknown) => unknown;
    const params = parseInput(httpWait.card.params, { url, times: 15, status: [200, 204], intervalSeconds: 1 }, {});
    expect(poll(params)).toEqual({
      intervalSeconds: 1,
      deadlineSeconds: 300,
      consecutive: 15,
      waitsFor: "http://10.0.0.1/ping to answer 200 or 204 15 times in a row",
    });
  });

  test.each([
    { body: "pong\n", says: ' with the body "pong"' },
    { body: "a\nb\n", says: " with the expected body" },
    { body: { contains: "Hi" }, says: ' with "Hi" in its body' },
    { body: { matches: "^ok" }, says: " with a body that matches /^ok/" },
  ])("says that it waits for an answer$says", ({ body, says }) => {
    const poll = httpWait.definition.poll as unknown as (params: unknown) => { waitsFor: string };
    const { waitsFor } = poll(parseInput(httpWait.card.params, { url, body }, {}));
    expect(waitsFor).toBe(`http://10.0.0.1/ping to answer 200${says}`);
  });

  test.each([
    { input: { url: "10.0.0.1/ping" }, expected: 'an http or https URL, like "https://10.0.0.1/ping"' },
    { input: { url, status: 20 }, expected: "a status from 100 to 599" },
    { input: { url, body: { matches: "(" } }, expected: expect.stringMatching(/^a regular expression/) as string },
    { input: { url, from: "elsewhere" }, expected: '"controller" or "host"' },
    { input: { url, deadlineSeconds: -1 }, expected: "a positive number of seconds" },
  ])("refuses bad params and names the expected form: $expected", ({ input, expected }) => {
    const failure = expect.objectContaining({ expected }) as object;
    expect(() => parseInput(httpWait.card.params, input, {})).toThrow(expect.objectContaining({ failure }) as Error);
  });
});

describe("httpWait with a real server that starts later", () => {
  let base = "";
  let close: () => void = () => undefined;
  let up = false;
  beforeAll(async () => {
    ({ base, close } = await serve((request, response) =>
      up ? void response.end("pong") : page(503)(request, response, false),
    ));
  });
  afterAll(() => close());

  test.each(["controller", "host"] as const)("waits from the %s until the server answers", async (from) => {
    const call = httpWait({ url: `${base}/ping`, from, body: "pong" });
    const params = parseInput(httpWait.card.params, call.input, {});
    const look = async (): Promise<string | undefined> => {
      const asked = call.module.stages[0]?.(params as never, {} as never) as { answer: never };
      const { request } = asked.answer as { request?: never };
      const answer = request
        ? await httpDriver.read(request, new AbortController().signal)
        : (await readKind([asked.answer]))[0]?.value;
      return explain(call, { answer }).refusal?.message;
    };
    up = false;
    expect(await look()).toMatch(`requested from the ${from}: answered 503 instead of 200`);
    up = true;
    expect(await look()).toBeUndefined();
  });
});
