import { parseArgs } from "node:util";
import { aptCache } from "./apt-cache.ts";

/* The apt cache of one lab, in its own process, which lives as long as the lab. */

const { values } = parseArgs({
  options: {
    address: { type: "string", default: "127.0.0.1" },
    port: { type: "string", default: "3142" },
    cache: { type: "string", default: "" },
    mirror: { type: "string", multiple: true, default: [] },
    upstream: { type: "string" },
    // Names the lab that owns this process, so that removing the lab finds it.
    lab: { type: "string" },
  },
});

const server = aptCache({ cacheDir: values.cache, mirrors: values.mirror, upstream: values.upstream });
server.listen(Number(values.port), values.address);
