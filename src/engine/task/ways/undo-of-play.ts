import type { EventSink } from "../../../core/events.ts";
import type { Host } from "../../host/host.ts";
import { everyNode } from "../../plan/once-calls.ts";
import type { Planned } from "../../plan/plan.ts";
import type { RunRequest } from "../../plan/request.ts";
import { PlayUndo } from "./play-undo.ts";
import { mayChangeWays } from "./ways.ts";

/** The undo of one host's play; undefined without `--confirm-within`. */
export function undoOfPlay(
  { confirmWithinSeconds: withinSeconds, mode }: RunRequest,
  host: Host,
  plan: readonly Planned[],
  sink: EventSink,
): PlayUndo | undefined {
  if (withinSeconds === undefined) return undefined;
  const isNeeded = [...everyNode(plan)].some(
    (node) => node.node === "composite" || (node.node === "task" && mayChangeWays(node)),
  );
  return new PlayUndo({ withinSeconds, host, mode, sink, isNeeded });
}
