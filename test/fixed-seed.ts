import * as fc from "fast-check";

/**
 * Set up before every property test: the same random inputs at every run, so that red means a change of the code.
 * FURROW_SEED=N takes others, FURROW_SEED=random new ones each time; a failure prints the seed it came from.
 */
const seed = process.env["FURROW_SEED"] ?? "20261121";
if (seed !== "random") fc.configureGlobal({ seed: Number(seed) });
