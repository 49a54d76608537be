/** Thrown before a task begins if the run must stop. */
export class Stopped extends Error {}
