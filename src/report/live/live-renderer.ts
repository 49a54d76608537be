import type { ListrRenderer } from "listr2";

/** Functions with which the live view takes over and releases the terminal. */
export interface HostsRendererOptions {
  readonly start?: () => void;
  readonly end?: () => void;
}

/**
 * A listr2 renderer that only takes over and releases the terminal. The live view is drawn from events, not from listr2
 * tasks.
 */
export class HostsRenderer implements ListrRenderer {
  static nonTTY = true;
  static rendererOptions: HostsRendererOptions = {};
  static rendererTaskOptions: Record<string, never> = {};
  readonly #options: HostsRendererOptions;

  constructor(_tasks: readonly unknown[], options: HostsRendererOptions) {
    this.#options = options;
  }

  async render(): Promise<void> {
    this.#options.start?.();
  }

  end(): void {
    this.#options.end?.();
  }
}
