import { describe, expect, test } from "vitest";
import { absent } from "../../src/authoring.ts";
import { closed, opened } from "./ports.ts";

const list = (...names: string[]) => Object.fromEntries(names.map((name) => [name, true as const]));

describe("opening ports", () => {
  test("needs nothing for a port that is listed, or in a listed range", () => {
    const zone = list("1025-65535/tcp", "443/tcp");
    expect(opened(zone, ["6443/tcp", "443/tcp"])).toEqual({ members: zone, names: [] });
  });
  test("does not confuse protocols", () => {
    expect(opened(list("53/udp"), ["53/tcp"])).toEqual({ members: list("53/tcp"), names: ["53/tcp"] });
  });
  test("adds only the missing parts of a range", () => {
    expect(opened(list("105-110/tcp", "120/tcp"), ["100-130/tcp"])).toEqual({
      members: list("105-110/tcp", "120/tcp", "100-104/tcp", "111-119/tcp", "121-130/tcp"),
      names: ["100-104/tcp", "111-119/tcp", "121-130/tcp"],
    });
  });
  test("adds a port once that two wanted ranges contain", () => {
    expect(opened({}, ["80/tcp", "80-81/tcp"])).toEqual({
      members: list("80/tcp", "81/tcp"),
      names: ["80/tcp", "81/tcp"],
    });
  });
});

describe("closing ports", () => {
  test("splits the range that contains a port", () => {
    expect(closed(list("400-500/tcp"), ["443/tcp"])).toEqual({
      members: { "443/tcp": absent, "400-500/tcp": absent, "400-442/tcp": true, "444-500/tcp": true },
      names: ["443/tcp"],
    });
  });
  test("removes the listed parts of a range", () => {
    expect(closed(list("80/tcp", "90-100/tcp", "90/udp"), ["80-95/tcp"])).toEqual({
      members: { "80-95/tcp": absent, "80/tcp": absent, "90-100/tcp": absent, "96-100/tcp": true },
      names: ["80/tcp", "90-95/tcp"],
    });
  });
  test("needs nothing for a port that is not listed", () => {
    expect(closed(list("80/tcp"), ["443/tcp"])).toEqual({ members: { "443/tcp": absent }, names: [] });
  });
});
