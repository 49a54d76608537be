import * as fc from "fast-check";

/**
 * Set up before every property test: the same random inputs in every run, so that a failure means a change of the
 * code. FURROW_SEED=N uses other inputs, FURROW_SEED=random new ones each time; a failure prints its seed.
 */
const seed = process.env["FURROW_SEED"] ?? "20261121";
if (seed !== "random") fc.configureGlobal({ seed: Number(seed) });
