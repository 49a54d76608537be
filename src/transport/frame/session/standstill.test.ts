import { expect, test } from "vitest";
import { FurrowError } from "../../../core/errors.ts";
import { Standstill } from "./standstill.ts";

function standstill(): { readonly still: Standstill; readonly told: string[] } {
  const told: string[] = [];
  const listener = {
    output: () => {},
    notice: (text: string, connection?: string) => void told.push(`${connection}: ${text}`),
    lost: (text: string) => void told.push(`lost: ${text}`),
  };
  const lines = { moved: () => {}, reconnectSeconds: 300 };
  return { still: new Standstill({ host: "web1", listener, stop: undefined, lines }), told };
}

const loss = new FurrowError("E_UNREACHABLE", {
  what: "the connection to web1 was lost",
  current: "keepalive timeout",
});

test("reports a lost connection immediately, not only after furrow has reconnected", () => {
  const { still, told } = standstill();
  still.lost();
  still.comesAgain(loss);
  still.tellLost();
  still.lost();
  still.comesAgain(loss);
  still.tellLost();
  expect(told).toEqual(["lost: connection lost (keepalive timeout), reconnecting for up to 300 s"]);
  still.tellAgain(true);
  expect(told.at(-1)).toMatch(/^back: the connection was lost .*; connected again after 1 s/);
});

test("says that the connection was lost during the task if ssh cannot reconnect", () => {
  const { still } = standstill();
  const refused = new FurrowError("E_UNREACHABLE", {
    what: "no connection to web1:22",
    current: "ECONNREFUSED",
    hint: "Check that sshd runs",
  });
  expect(still.unopened(refused, undefined, true)).toBe(refused);
  still.lost();
  still.comesAgain(loss);
  still.tellLost();
  const item = { item: "steps", task: "shell", title: "drop ssh", steps: [] } as never;
  expect(still.unopened(refused, item, true)).toMatchObject({
    code: "E_UNREACHABLE",
    failure: {
      what: expect.stringMatching(/^the connection was lost during the task, and could not be restored within \d+ s$/),
      where: { host: "web1", task: "drop ssh" },
      current: "no connection to web1:22: ECONNREFUSED",
      hint: "Check that sshd runs",
    },
  });
});
