import { parseArgs } from "node:util";
import { aptCache } from "./apt-cache.ts";

/* Runs one lab's apt cache, in its own process, which runs as long as the lab does. */

const { values } = parseArgs({
  options: {
    address: { type: "string", default: "127.0.0.1" },
    port: { type: "string", default: "3142" },
    cache: { type: "string", default: "" },
    mirror: { type: "string", multiple: true, default: [] },
    upstream: { type: "string" },
    // Names the lab that owns this process, so the process is found when the lab is removed.
    lab: { type: "string" },
  },
});

const server = aptCache({ cacheDir: values.cache, mirrors: values.mirror, upstream: values.upstream });
server.listen(Number(values.port), values.address);
