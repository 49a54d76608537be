/** An error response, as in the specification's CloudError. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** 404 */
export const notFound = (type: string, name: string): Refusal =>
  new Refusal(404, "ResourceNotFound", `The Resource '${type}/${name}' was not found.`);
/** 400 */
export const invalid = (code: string, message: string): Refusal => new Refusal(400, code, message);
/** 409 */
export const conflict = (code: string, message: string): Refusal => new Refusal(409, code, message);
