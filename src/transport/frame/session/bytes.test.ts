import { expect, test } from "vitest";
import type { FrameItem } from "../../../core/host/frame.ts";
import type { Channel } from "../../../core/host/transport.ts";
import { file } from "../../../facts/files/file.ts";
import { keeperScript, laneScript } from "../upload/stage-script.ts";
import { orderScript } from "./order-script.ts";
import { ShellLine } from "./shell-line.ts";

/** A session's shell that records the bytes sent to it. */
class Sent {
  #bytes = 0;
  readonly line: ShellLine;

  constructor() {
    const shell: Channel = {
      write: (data) => {
        this.#bytes += data.length;
        return Promise.resolve();
      },
      end: () => {},
      destroy: () => {},
      onStdout: () => {},
      onStderr: () => {},
      ended: new Promise(() => {}),
    };
    this.line = new ShellLine(shell, "h", { run: "run0000001", session: "s1", holder: "anna@laptop" });
  }

  /** Size of a frame in bytes, including everything that must be sent before it. */
  async bytesOf(runsIn: "shell" | "runner", items: readonly FrameItem[]): Promise<number> {
    this.#bytes = 0;
    const rest = { continued: undefined, hideKey: undefined, timed: false, known: false };
    await this.line.begin({ nonce: "nonce00001", items, runsIn, ...rest });
    return this.#bytes;
  }
}

const reading: FrameItem[] = [{ item: "read", questions: [file("/etc/hostname")] }];
const changing: FrameItem[] = [
  {
    item: "steps",
    task: "file",
    steps: [{ step: "writeFile", path: "/etc/motd", text: "hello\n", mode: "0644", owner: "root", group: "root" }],
  },
  ...reading,
];
const identity = { run: "run0000001", session: "s1", holder: undefined };

/** Sizes in bytes on 2026-11-23, when these scripts were written by hand with short names. */
const before = {
  "the first frame, which reads": 7866,
  "a later frame that reads": 2243,
  "the first frame that changes": 15_533,
  "a later frame that changes": 2652,
  "the keeper of a staged upload": 1754,
  "another lane for its blocks": 1145,
  "a stop order": 291,
  "a probe": 798,
};

test("sends a host no more bytes than with handwritten scripts that use short names", async () => {
  const sent = new Sent();
  const now: typeof before = {
    "the first frame, which reads": await sent.bytesOf("shell", reading),
    "a later frame that reads": await sent.bytesOf("shell", reading),
    "the first frame that changes": await sent.bytesOf("runner", changing),
    "a later frame that changes": await sent.bytesOf("runner", changing),
    "the keeper of a staged upload": keeperScript("/srv/image", 4 << 20, "nonce00001").length,
    "another lane for its blocks": laneScript("/srv/image", 4 << 20, "nonce00001").length,
    "a stop order": orderScript({ order: "stop" }, identity).length,
    "a probe": orderScript({ order: "probe", pid: 1234 }, identity).length,
  };
  const grown = Object.entries(now).filter(([what, bytes]) => bytes > before[what as keyof typeof before]);
  expect(grown).toEqual([]);
});
