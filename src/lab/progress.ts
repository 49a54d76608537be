/** Receives progress messages: what the lab is doing, in a few words, on one line without a period. */
export type OnProgress = (message: string) => void;
