import { hostMutants } from "./host-mutants.ts";
import { noticeMutants } from "./notice-mutants.ts";

// Only tests with a full disk or a silent connection notice these mutants; each test takes half a minute, most
// of it spent waiting.
noticeMutants({
  what: "mutants of the transport killed by full disks and silent connections",
  mutants: hostMutants,
  faulty: "transport",
  least: 3,
  seconds: 60,
});
