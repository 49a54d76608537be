import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readKind } from "../../testing/read-kind.ts";
import { port, portKind } from "./port.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-port-"));
let server: Server;
let open = 0;
let closed = 0;

beforeAll(async () => {
  const listen = async (made: Server): Promise<number> => {
    await new Promise<void>((resolve) => {
      made.listen(0, "127.0.0.1", resolve);
    });
    return (made.address() as AddressInfo).port;
  };
  server = createServer((socket) => socket.on("error", () => undefined));
  open = await listen(server);
  const gone = createServer();
  closed = await listen(gone);
  gone.close();
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

test.each([["bash", "timeout"], ["nc"], ["curl"], ["none"]])(
  "checks whether a port is open, using %s",
  async (...tools) => {
    const bin = join(folder, tools.join("-"));
    mkdirSync(bin);
    for (const tool of tools.filter((name) => name !== "none")) {
      execFileSync("sh", ["-c", 'ln -s "$(command -v "$0")" "$1/$0"', tool, bin]);
    }
    const questions = [port("127.0.0.1", open), port("127.0.0.1", closed), port("localhost", open)];
    const answers = await readKind(questions, { shell: ["/bin/sh", "-c"], env: { PATH: bin } });
    const known = tools[0] !== "none";
    expect(answers.map(({ value }) => value)).toEqual(
      known ? [{ open: true }, { open: false }, { open: true }] : [undefined, undefined, undefined],
    );
    expect(answers[0]?.unreadable).toBe(known ? undefined : "the host needs bash, nc or curl to test a port");
    for (const { value, lines } of answers.filter((answer) => answer.value !== undefined)) {
      expect(portKind.print?.(value as never, port("x", 1))).toEqual(lines);
    }
  },
);

test("does not try the port if ip reports a route through another device", async () => {
  const answers = await readKind([port("127.0.0.1", open, "lo"), port("127.0.0.1", open, "virbr1")]);
  expect(answers.map(({ value }) => value)).toEqual([{ open: true }, { open: false }]);
});
