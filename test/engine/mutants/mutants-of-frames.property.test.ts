import { killMutants } from "./kill-mutants.ts";
import { frameMutants } from "./mutants.ts";

// In a file of its own, so that two workers share the mutants.
killMutants("frames", frameMutants);
