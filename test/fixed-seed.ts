import * as fc from "fast-check";

/**
 * Runs before every property test: random inputs are the same in every run, so a failure means that the code has
 * changed. FURROW_SEED=N uses other inputs, and FURROW_SEED=random uses new inputs each time. A failure prints its
 * seed.
 */
const seed = process.env["FURROW_SEED"] ?? "20261121";
if (seed !== "random") fc.configureGlobal({ seed: Number(seed) });
