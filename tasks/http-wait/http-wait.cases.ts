import type { Case } from "../../src/testing/index.ts";
import { httpWait } from "./http-wait.ts";

const url = "http://10.0.0.1/ping";
const answer = { status: 200, headers: {}, body: "pong\n" };

/** Test cases for `httpWait`: answers, and whether the task accepts them. */
export const cases: readonly Case[] = [
  { title: "the expected answer", call: httpWait({ url, body: "pong" }), now: { answer }, steps: [] },
  { title: "an answer to a request from the host", call: httpWait({ url, from: "host" }), now: { answer }, steps: [] },
  {
    title: "a different status",
    call: httpWait({ url }),
    now: { answer: { ...answer, status: 503 } },
    steps: [],
    refusal: "not-yet",
  },
  {
    title: "no answer",
    call: httpWait({ url }),
    now: { answer: { error: { code: "ECONNREFUSED", message: "connect ECONNREFUSED" } } },
    steps: [],
    refusal: "not-yet",
  },
];
