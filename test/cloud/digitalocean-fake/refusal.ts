/** An error response, with the id and the status of the specification's shared responses. */
export class Refusal extends Error {
  readonly status: number;
  readonly id: string;

  constructor(status: number, id: string, message: string) {
    super(message);
    this.status = status;
    this.id = id;
  }
}

/** 404 */
export const notFound = (): Refusal =>
  new Refusal(404, "not_found", "The resource you were accessing could not be found.");
/** 422 */
export const unprocessable = (message: string): Refusal => new Refusal(422, "unprocessable_entity", message);
/** 409 */
export const conflict = (message: string): Refusal => new Refusal(409, "conflict", message);
