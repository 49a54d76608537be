import { expect, test } from "vitest";
import { FurrowError } from "../core/errors.ts";
import { waitUntil } from "./wait.ts";

const { signal } = new AbortController();
const options = { waitsFor: "a to run", deadlineSeconds: 60, signal, hint: "Look at it", firstPauseMs: 1 };

test("checks until the state is reached, and reports each new state once", async () => {
  const states = ["pending", "pending", "starting", undefined];
  const said: string[] = [];
  const look = () => {
    const state = states.shift();
    return Promise.resolve(state === undefined ? { done: 7 } : { meanwhile: state });
  };
  expect(await waitUntil(look, { ...options, say: (text) => said.push(text) })).toBe(7);
  expect(said).toEqual(["waiting for a to run: pending", "waiting for a to run: starting"]);
});

test("ends immediately if a check fails, and passes the error on unchanged", async () => {
  const error = new FurrowError("E_DRIVER", { what: "no" });
  let looks = 0;
  const look = () => {
    looks += 1;
    return Promise.reject(error);
  };
  await expect(waitUntil(look, options)).rejects.toBe(error);
  expect(looks).toBe(1);
});

test("shows the last state in the error if the deadline passes", async () => {
  const look = () => Promise.resolve({ meanwhile: "pending" });
  await expect(waitUntil(look, { ...options, deadlineSeconds: 0.02 })).rejects.toMatchObject({
    code: "E_WAIT",
    failure: { current: "pending", hint: "Look at it" },
  });
});

test("ends when interrupted", async () => {
  const stop = new AbortController();
  const look = () => {
    stop.abort(new Error("stopped"));
    return Promise.resolve({ meanwhile: "pending" });
  };
  await expect(waitUntil(look, { ...options, signal: stop.signal })).rejects.toThrow("stopped");
});
