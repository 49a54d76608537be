/** Receives progress messages: what the lab is doing, in a few words, on one line without a full stop. */
export type OnProgress = (message: string) => void;
