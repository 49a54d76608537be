import { takenMutants } from "./host-mutants.ts";
import { noticeMutants } from "./notice-mutants.ts";

// The tests that notice these mutants lock this machine as a host, so no other suite may lock it at the same time.
noticeMutants({
  what: "mutants killed in code for a run whose host has been taken over",
  mutants: takenMutants,
  faulty: "transport",
  least: 2,
});
