import type { Actor } from "./actors.ts";
import { patch, read } from "./actors.ts";

interface Settings {
  readonly items: readonly {
    readonly metadata: {
      readonly name: string;
      readonly managedFields?: readonly { readonly time?: string; readonly fieldsV1?: object }[];
    };
    readonly value?: string;
  }[];
}

/**
 * Harvester's settings: a condition and a hash of the value are written in one update, about each new value
 * (pkg/controller/master/setting/handler.go). A value with `broken` cannot be taken.
 */
export const settingsController: Actor = (server, done) => {
  const { items } = read(server, "settings.harvesterhci.io") as Settings;
  for (const { metadata, value = "" } of items) {
    const seen = `${metadata.name} ${value}`;
    if (value === "" || done.has(seen)) continue;
    done.add(seen);
    const isBroken = value.includes("broken");
    const lastUpdateTime = `${new Date().toISOString().slice(0, 19)}Z`;
    const report = isBroken ? { status: "False", message: "unexpected end of JSON input" } : { status: "True" };
    patch(server, "settings.harvesterhci.io", metadata.name, {
      metadata: { annotations: { "harvesterhci.io/hash": String(done.size) } },
      status: { conditions: [{ type: "configured", lastUpdateTime, ...report }] },
    });
  }
};
