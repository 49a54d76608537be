import type { Params, Renderer } from "../params.ts";
import { ifupdown } from "./ifupdown.ts";
import { netplan } from "./netplan.ts";
import { networkd } from "./networkd.ts";
import { networkManager } from "./keyfiles.ts";
import type { RendererTool } from "./tool.ts";
import { wicked } from "./wicked.ts";

/** All tools, by the names that users write. */
export const tools: Readonly<Record<Renderer, RendererTool>> = {
  networkd,
  NetworkManager: networkManager,
  netplan,
  ifupdown,
  wicked,
};

/** The paths of files that the task may need on any host; the host's tool is not known until its state is read. */
export function possiblePaths(p: Params): readonly string[] {
  const names = p.renderer === undefined ? (Object.keys(tools) as Renderer[]) : [p.renderer];
  return names.flatMap((name) => tools[name].files(p, {}).map(({ path }) => path));
}
