import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Client } from "ssh2";
import { describe, expect, test } from "vitest";
import { patchesFor } from "./index.ts";
import { patches } from "./patches.ts";
import { findDifference, patchedVersion } from "./self-test.ts";

const require = createRequire(import.meta.url);

/** A client whose internals are changed as soon as it begins to connect. */
function changed(change: (inside: Record<string, Record<string, unknown>>, client: Client) => void): typeof Client {
  return class extends Client {
    override connect(...config: Parameters<Client["connect"]>): this {
      super.connect(...config);
      change((this as never)["_protocol"], this);
      return this;
    }
  };
}

const wrong = (client: typeof Client): string | undefined => findDifference(patchedVersion, client, patches);

describe("ssh2", () => {
  test("is installed in the version that the patches were written for, and package.json pins it", () => {
    const { version } = require("ssh2/package.json") as { version: string };
    const { dependencies } = JSON.parse(readFileSync("package.json", "utf8")) as { dependencies: { ssh2: string } };
    expect([version, dependencies.ssh2]).toEqual([patchedVersion, patchedVersion]);
    expect(findDifference(version, Client, patches)).toBeUndefined();
    expect(patchesFor(version, Client)).toBe(patches);
  });

  test("runs unpatched in another version", () => {
    expect(patchesFor("1.18.0", Client)).toBeUndefined();
  });

  test.each([
    "SERVICE_ACCEPT",
    "EXT_INFO",
    "GLOBAL_REQUEST",
    "CHANNEL_OPEN_CONFIRMATION",
    "CHANNEL_OPEN_FAILURE",
    "CHANNEL_SUCCESS",
    "CHANNEL_FAILURE",
    "CHANNEL_WINDOW_ADJUST",
  ])("runs unpatched if ssh2 has no handler for %s", (name) => {
    const client = changed(({ _handlers }) => void (_handlers && delete _handlers[name]));
    expect(wrong(client)).toBe(`ssh2 has no handler named ${name}`);
    expect(patchesFor(patchedVersion, client)).toBeUndefined();
  });

  test.each(["service", "authPK", "session", "exec", "channelData", "channelEOF", "channelClose"])(
    "runs unpatched if ssh2's protocol has no method %s",
    (name) => {
      const client = changed((inside) => void Object.defineProperty(inside, name, { value: undefined }));
      expect(wrong(client)).toBe(`ssh2's protocol has no method named ${name}`);
    },
  );

  test("runs unpatched if the protocol has a different name, a channel opens later or state is kept elsewhere", () => {
    expect(wrong(changed((_inside, client) => void Reflect.deleteProperty(client, "_protocol")))).toMatch("no handler");
    expect(wrong(changed((_inside, client) => void Reflect.deleteProperty(client, "_remoteVer")))).toMatch("version");
    const later = changed(({ _handlers }) => {
      if (_handlers) _handlers["CHANNEL_SUCCESS"] = () => undefined;
    });
    expect(wrong(later)).toBe("a patched ssh2 fails: ssh2 does not open a channel before the host answers");
    const elsewhere = changed(({ _handlers }) => {
      if (_handlers) _handlers["CHANNEL_EOF"] = () => undefined;
    });
    expect(wrong(elsewhere)).toBe("ssh2 does not record that a process's output is complete");
  });
});
