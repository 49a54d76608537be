/** Thrown at a task border when the run is to stop. */
export class Stopped extends Error {}
