import { parseArgs } from "node:util";
import { aptCache } from "./apt-cache.ts";

/* The apt cache of one lab, as a process of its own; it lives as long as the lab does. */

const { values } = parseArgs({
  options: {
    address: { type: "string", default: "127.0.0.1" },
    port: { type: "string", default: "3142" },
    cache: { type: "string", default: "" },
    mirror: { type: "string", multiple: true, default: [] },
    upstream: { type: "string" },
    // Says whose process this is, for whoever removes the lab.
    lab: { type: "string" },
  },
});

const server = aptCache({ cacheDir: values.cache, mirrors: values.mirror, upstream: values.upstream });
server.listen(Number(values.port), values.address);
