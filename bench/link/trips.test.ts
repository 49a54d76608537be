import { describe, expect, test } from "vitest";
import { type Conversation, Trips } from "./trips.ts";

/** The client sends a message and receives the host's answer. */
function asks(on: Conversation): void {
  on.hostHears(on.clientSays());
  on.clientHears(on.hostSays());
}

describe("round trips counted at the proxy", () => {
  test("are two for a question on a new connection: one for TCP's handshake and one for the answer", () => {
    const trips = new Trips();
    const on = trips.connect();
    asks(on);
    on.clientSays();
    expect(trips.waited).toBe(2);
  });

  test("are one for two greetings that cross each other", () => {
    const trips = new Trips();
    const on = trips.connect();
    const greeting = on.hostSays();
    on.hostHears(on.clientSays());
    on.clientHears(greeting);
    on.clientSays();
    expect(trips.waited).toBe(2);
  });

  test("include a closing message only if the client waits for its answer", () => {
    const left = new Trips();
    const leaving = left.connect();
    asks(leaving);
    leaving.hostHears(leaving.clientSays());
    leaving.clientHears(leaving.hostSays());
    expect(left.waited).toBe(2);
    leaving.clientSays();
    expect(left.waited).toBe(3);
  });

  test("are one for an answer in two parts, and one for a question in two parts", () => {
    const trips = new Trips();
    const on = trips.connect();
    on.hostHears(on.clientSays());
    asks(on);
    on.clientHears(on.hostSays());
    on.clientSays();
    expect(trips.waited).toBe(2);
  });

  test("are added up over several connections", () => {
    const trips = new Trips();
    asks(trips.connect());
    const second = trips.connect();
    asks(second);
    second.clientSays();
    expect(trips.waited).toBe(4);
  });
});
