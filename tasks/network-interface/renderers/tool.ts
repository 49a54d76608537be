import type { Params } from "../params.ts";

/** A configuration file that furrow owns. */
export interface OwnFile {
  readonly path: string;
  readonly text: string;
  readonly mode: "0600" | "0644";
}

/** The sorts of a host's interfaces. */
export type Links = Readonly<Record<string, { readonly kind: string }>>;

/** How one of the host's tools configures an interface, and how to make it do so now. */
export interface RendererTool {
  /** The files for an interface and its ports. Their paths do not depend on the host's interfaces. */
  files(this: void, p: Params, links: Links): readonly OwnFile[];
  /** What to save before a change. */
  readonly saves: string;
  /** Shell code that makes the running system follow the files; `isOther`: an interface of another sort has the name. */
  apply(this: void, p: Params, isOther: boolean): string;
  /** Shell code that makes the running system follow files that were restored; it finds what was saved in its directory. */
  revert(this: void, p: Params): string;
  /** Shell code that does what restored files need early in a boot, if anything. */
  readonly boot: string;
}
