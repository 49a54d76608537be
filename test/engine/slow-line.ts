import { setTimeout as sleep } from "node:timers/promises";
import type { Frame, ItemResult, Session } from "../../src/core/host/frame.ts";

/**
 * A session whose frames stay open for a while: each answer arrives a few milliseconds after the previous one. Like a
 * real connection, the session has only one listener: a frame that is sent while another is open takes over the
 * listener, so the first frame never ends. The session then calls `overlaps`.
 */
export function slowLine(session: Session, overlaps: () => void): Session {
  let isOpen = false;
  return {
    ...session,
    frame: async (frame: Frame, listener, signal) => {
      if (isOpen) {
        overlaps();
        return new Promise<never>(() => {});
      }
      isOpen = true;
      const answers: [number, ItemResult][] = [];
      const item = (index: number, result: ItemResult): void => void answers.push([index, result]);
      const results = await session.frame(frame, { ...listener, item }, signal);
      for (const [index, result] of answers) {
        await sleep(5);
        listener.item?.(index, result);
      }
      await sleep(5);
      isOpen = false;
      return results;
    },
  };
}
