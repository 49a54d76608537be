import { expect, test } from "vitest";
import { shortNames } from "./short-names.ts";

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
