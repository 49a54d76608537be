import { describe, expect, test } from "vitest";
import { type Conversation, Trips } from "./trips.ts";

/** The client sends a message and receives the host's answer. */
function asks(on: Conversation): void {
  on.hostHears(on.clientSays());
  on.clientHears(on.hostSays());
}

describe("round trips counted at the proxy", () => {
  test("a question on a new connection takes two: TCP's own, and the answer", () => {
    const trips = new Trips();
    const on = trips.connect();
    asks(on);
    on.clientSays();
    expect(trips.waited).toBe(2);
  });

  test("greetings that cross each other take one together", () => {
    const trips = new Trips();
    const on = trips.connect();
    const greeting = on.hostSays();
    on.hostHears(on.clientSays());
    on.clientHears(greeting);
    on.clientSays();
    expect(trips.waited).toBe(2);
  });

  test("a goodbye whose answer is not awaited takes none, and one that is awaited takes one", () => {
    const left = new Trips();
    const leaving = left.connect();
    asks(leaving);
    leaving.hostHears(leaving.clientSays());
    leaving.clientHears(leaving.hostSays());
    expect(left.waited).toBe(2);
    leaving.clientSays();
    expect(left.waited).toBe(3);
  });

  test("an answer in two parts is one, and so is a question in two parts", () => {
    const trips = new Trips();
    const on = trips.connect();
    on.hostHears(on.clientSays());
    asks(on);
    on.clientHears(on.hostSays());
    on.clientSays();
    expect(trips.waited).toBe(2);
  });

  test("a second connection after the first continues the count", () => {
    const trips = new Trips();
    asks(trips.connect());
    const second = trips.connect();
    asks(second);
    second.clientSays();
    expect(trips.waited).toBe(4);
  });
});
