import { type LabHost, runInHost } from "furrow/lab";
import { type Measured, measuredWell, type Program } from "../measure/program.ts";
import { changedPath } from "./places.ts";

/** Runs a program against a host after removing everything that an earlier run created. */
export async function fresh(host: LabHost, program: Program): Promise<Measured> {
  await runInHost(host, ["rm", "-rf", changedPath]);
  return measuredWell(program);
}
