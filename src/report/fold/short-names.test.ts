import { expect, test } from "vitest";
import { shortNames, whichHosts } from "./short-names.ts";

const web = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, at) => `web${String(from + at).padStart(3, "0")}`);

test.each([
  { hosts: ["web1"], text: "web1" },
  { hosts: ["web1", "web2"], text: "web1, web2" },
  { hosts: ["web3", "web1", "web2"], text: "web1–web3" },
  { hosts: web(1, 120), text: "web001–web120" },
  { hosts: web(98, 102), text: "web098–web102" },
  { hosts: [...web(1, 41), ...web(43, 99)], text: "web001–web041, web043–web099" },
  { hosts: ["web9", "web10", "web11"], text: "web9–web11" },
  { hosts: ["web09", "web10", "web11"], text: "web09–web11" },
  { hosts: ["web9", "web010", "web11"], text: "web9, web010, web11" },
  { hosts: ["a-1.dc2", "a-2.dc2", "a-3.dc2"], text: "a-1.dc2, a-2.dc2, a-3.dc2" },
  { hosts: ["a1.dc", "a2.dc", "a3.dc", "db"], text: "a1.dc–a3.dc, db" },
  {
    hosts: ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta"],
    text: "alpha, beta, gamma, delta and 3 more",
  },
  {
    hosts: ["a-name-that-is-longer-than-all-the-room", "b"],
    text: "a-name-that-is-longer-than-all-the-room and 1 more",
  },
])("shortens $hosts", ({ hosts, text }) => {
  expect(shortNames(hosts, 30)).toBe(text);
});

const all = web(1, 40);
const without = (...odd: number[]): string => {
  const others = odd.flatMap((number) => web(number, number));
  return whichHosts(
    all.filter((host) => !others.includes(host)),
    others,
  );
};

test("names 4 odd hosts of 40, not a part of the other 36", () => {
  expect(without(5, 12, 23, 30)).toBe("all but web005, web012, web023, web030");
  expect(without(2, 5, 9, 12, 18, 23, 30, 33)).toBe(
    "all but web002, web005, web009, web012, web018, web023, web030, web033",
  );
});

test("names the hosts of a line if their names are shorter, or if the exceptions are too many", () => {
  expect(without(36, 37, 38, 39, 40)).toBe("web001–web035");
  expect(without(2, 4, 6, 8, 10, 12, 14, 16, 18)).toBe("web001, web003, web005, web007, web009, web011 and 25 more");
});

test("says how many hosts stopped earlier, if neither these nor the other hosts have a short list of names", () => {
  const odd = all.filter((_, at) => at % 4 === 0);
  const even = all.filter((host) => !odd.includes(host));
  expect(whichHosts(even, odd, true)).toBe("all but 10 stopped hosts");
  expect(whichHosts(web(1, 30), web(31, 40), true)).toBe("web001–web030");
});
