import { noticeMutants } from "./notice-mutants.ts";
import { runMutants } from "./run-mutants.ts";

noticeMutants({
  what: "mutants killed in code for several hosts, users and passwords",
  mutants: runMutants,
  faulty: "engine",
  least: 15,
});
