/** One call as the server receives it. */
export interface Call {
  readonly method: string;
  /** The path, starting with `projects/`. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: Record<string, unknown>;
}
