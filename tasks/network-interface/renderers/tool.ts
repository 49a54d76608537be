import type { Params } from "../params.ts";

/** A configuration file that furrow owns. */
export interface OwnFile {
  readonly path: string;
  readonly text: string;
  readonly mode: "0600" | "0644";
}

/** The types of a host's interfaces. */
export type Links = Readonly<Record<string, { readonly kind: string }>>;

/** How one of the host's tools configures an interface, and how to apply the configuration at once. */
export interface RendererTool {
  /** The files for an interface and its ports. Their paths do not depend on the host's interfaces. */
  files(this: void, p: Params, links: Links): readonly OwnFile[];
  /** Data to save before a change. */
  readonly saves: string;
  /**
   * Shell code that applies the files to the running system; `isOther`: true if an interface of a different type
   * already has the name.
   */
  apply(this: void, p: Params, isOther: boolean): string;
  /** Shell code that applies restored files to the running system; it runs in the directory with the saved data. */
  revert(this: void, p: Params): string;
  /** Shell code, if any, that must run early in a boot after files are restored. */
  readonly boot: string;
}
