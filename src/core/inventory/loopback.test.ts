import { expect, it } from "vitest";
import { isLoopback } from "./loopback.ts";

it.each([
  "http://localhost/",
  "https://a.localhost:8443/x",
  "http://127.1/",
  "http://127.9.9.9:80",
  "http://[::1]:80/",
])("%s is this machine", (url) => expect(isLoopback(url)).toBe(true));

it.each([
  "http://10.0.0.1/",
  "http://localhost.example/",
  "http://128.0.0.1/",
  "http://[::2]/",
  "http://127.0.0.1.example/",
])("%s is not this machine", (url) => expect(isLoopback(url)).toBe(false));
