import type { ListrRenderer } from "listr2";

/** How the live view takes and gives back the terminal. */
export interface HostsRendererOptions {
  readonly start?: () => void;
  readonly end?: () => void;
}

/** Lets listr2 say when the live view has the terminal; what it shows is drawn from events, not from listr2's tasks. */
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
