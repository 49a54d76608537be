/** Thrown at a task border when the run must stop. */
export class Stopped extends Error {}
