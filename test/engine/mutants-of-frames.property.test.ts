import { killMutants } from "./kill-mutants.ts";
import { frameMutants } from "./mutants.ts";

// A file of its own: two workers share the mutants.
killMutants("frames", frameMutants);
