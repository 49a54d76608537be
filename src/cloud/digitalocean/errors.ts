import { FurrowError } from "../../core/errors.ts";

/** An error response from DigitalOcean's API, or a failure to get a response. */
export class DigitalOceanError extends Error {
  /** The HTTP status; 0 if there was no response. */
  readonly status: number;
  /** The API's error code, such as `not_found`; may be empty. */
  readonly id: string;

  constructor(status: number, id: string, message: string, cause?: unknown) {
    super(message, { cause });
    this.status = status;
    this.id = id;
  }
}

/** Conditions that recognize errors, with hints on what to do; the first match is used. */
const causes: readonly (readonly [test: (error: DigitalOceanError) => boolean, hint: string])[] = [
  [
    ({ status }) => status === 401,
    "Set DIGITALOCEAN_ACCESS_TOKEN to a valid token: https://cloud.digitalocean.com/account/api/tokens",
  ],
  [
    ({ status }) => status === 403,
    "Give the token the scopes for this resource, or ask the team's owner: https://docs.digitalocean.com/reference/api/scopes/",
  ],
  [({ message }) => /limit/i.test(message), "Ask DigitalOcean for a higher limit, or delete what you no longer need"],
  [
    ({ message }) => /not available|unavailable/i.test(message),
    "Choose another region or size: doctl compute size list",
  ],
  [({ status }) => status === 409, "Rerun: something else is changing the resource"],
  [({ status }) => status === 429, "Rerun in a few minutes: the API limits the number of requests per minute and hour"],
  [({ status }) => status >= 500, "Rerun in a few minutes: https://status.digitalocean.com"],
  [({ status }) => status === 0, "Check the connection to api.digitalocean.com: network, proxy and DNS"],
];

/** Converts an error into a FurrowError with a hint. `what` describes the attempt: `create droplet a in fra1`. */
export function failureOf(what: string, error: DigitalOceanError): FurrowError {
  const hint = causes.find(([fits]) => fits(error))?.[1];
  const [line = ""] = error.message.split("\n");
  return new FurrowError("E_DRIVER", {
    what: `cannot ${what} at DigitalOcean`,
    current: [error.id, line.slice(0, 400)].filter((part) => part !== "").join(": "),
    hint: hint ?? "Fix the problem that the API reports",
    cause: error,
  });
}
