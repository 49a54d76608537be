import { describe, expect, test } from "vitest";
import { absent } from "../../src/authoring.ts";
import { parseInput } from "../../src/core/params/params.ts";
import { explain } from "../../src/testing/index.ts";
import { waitFor } from "./wait-for.ts";

const there = { type: "file", mode: "0644", owner: "root", group: "root" } as const;

describe("waitFor", () => {
  test.each([
    { title: "an open port", params: { port: 22 }, now: { port: { open: true } }, over: true },
    { title: "a closed port", params: { port: 22 }, now: { port: { open: false } }, over: false },
    { title: "a port to close", params: { port: 22, state: "closed" }, now: { port: { open: true } }, over: false },
    { title: "an existing path", params: { path: "/x" }, now: { path: there }, over: true },
    { title: "an absent path", params: { path: "/x" }, now: { path: absent }, over: false },
    {
      title: "an absent path that must be absent",
      params: { path: "/x", state: "absent" },
      now: { path: absent },
      over: true,
    },
    {
      title: "an existing path that must be absent",
      params: { path: "/x", state: "absent" },
      now: { path: there },
      over: false,
    },
    ...["absent", "disabled", "done", "failed"].map((state) => ({
      title: `cloud-init ${state}`,
      params: { cloudInit: true },
      now: { cloudInit: { state } },
      over: true,
    })),
    { title: "cloud-init running", params: { cloudInit: true }, now: { cloudInit: { state: "running" } }, over: false },
  ])("given $title, ends its wait: $over", ({ params, now, over }) => {
    const { change, refusal } = explain(waitFor(params as never), now);
    expect(refusal === undefined && Object.keys(change).length === 0).toBe(over);
  });

  test("says why a tunnel does not open, and ends the wait at once if waiting cannot help", () => {
    const call = waitFor({ port: 22, tunnel: { sessionManager: { instance: "i-0123456789abcdef0" } } });
    const way = { open: false, said: "no session: AccessDenied", hint: "Allow ssm:StartSession" } as const;
    expect(explain(call, { way: { ...way, final: false } }).refusal).toMatchObject({
      message: "no session: AccessDenied. Allow ssm:StartSession",
    });
    expect(explain(call, { way: { ...way, final: true } }).refusal).toMatchObject({ final: true });
  });

  test("notes that cloud-init failed", () => {
    const call = waitFor({ cloudInit: true });
    expect(explain(call, { cloudInit: { state: "failed" } }).notes).toHaveLength(1);
    expect(explain(call, { cloudInit: { state: "done" } }).notes).toEqual([]);
  });

  test("says what it waits for", () => {
    const poll = waitFor.definition.poll as unknown as (params: unknown) => { waitsFor: string };
    const says = (input: object): string => poll(parseInput(waitFor.card.params, input, {})).waitsFor;
    expect([says({ port: 443 }), says({ path: "/x", state: "absent" }), says({ cloudInit: true })]).toEqual([
      "port 443 on 127.0.0.1 to be open",
      "/x to be absent",
      "cloud-init to finish",
    ]);
    expect([
      says({ port: 22, tunnel: { sessionManager: { instance: "i-0123456789abcdef0" } } }),
      says({ port: 22, tunnel: { iap: { instance: "web", project: "lab-1234", zone: "europe-west3-a" } } }),
      says({ port: 22, address: "10.0.0.7", proxyJump: "gate" }),
    ]).toEqual([
      "port 22 on i-0123456789abcdef0 through Session Manager to be open",
      "port 22 on web through IAP to be open",
      "port 22 on 10.0.0.7 through gate to be open",
    ]);
  });

  test.each([
    { input: {}, expected: "one of `port`, `path` and `cloudInit: true`" },
    { input: { port: 70_000 }, expected: "a port from 1 to 65535" },
    { input: { port: 22, address: "a b" }, expected: 'a name or an address, like "10.0.0.1"' },
    {
      input: { port: 22, proxyJump: "gate", tunnel: { sessionManager: { instance: "i-0123456789abcdef0" } } },
      expected: "a tunnel or a jump host, not both",
    },
    {
      input: { port: 22, tunnel: { sessionManager: { instance: "web-1" } } },
      expected: 'an instance id, like "i-0123456789abcdef0"',
    },
    { input: { path: "/x", state: "open" }, expected: '"present" or "absent"' },
  ])("refuses bad params and names the expected form: $expected", ({ input, expected }) => {
    const failure = expect.objectContaining({ expected }) as object;
    expect(() => parseInput(waitFor.card.params, input, {})).toThrow(expect.objectContaining({ failure }) as Error);
  });
});
