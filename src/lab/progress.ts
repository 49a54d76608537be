/** Reports in a few words what the lab is doing; every message is one line without a full stop. */
export type OnProgress = (message: string) => void;
