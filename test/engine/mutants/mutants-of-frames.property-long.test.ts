import { killMutants } from "./kill-mutants.ts";
import { frameMutants } from "./mutants.ts";

// This is a separate file so that two workers share the mutants.
killMutants("frames", frameMutants);
