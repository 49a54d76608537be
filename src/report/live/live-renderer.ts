import type { ListrRenderer } from "listr2";

/** How the live view takes and releases the terminal. */
export interface HostsRendererOptions {
  readonly start?: () => void;
  readonly end?: () => void;
}

/** A listr2 renderer that only takes and releases the terminal; the live view draws from events, not listr2 tasks. */
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
