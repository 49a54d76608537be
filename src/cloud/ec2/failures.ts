import { FurrowError, isFurrowError } from "../../core/errors.ts";

/**
 * Hints for EC2 errors, by error code; the codes are those in
 * https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html. The first match is used.
 */
const hints: readonly (readonly [RegExp, string])[] = [
  [
    /^(CredentialsProviderError|NoCredentials|AccessDenied)$|Could not load credentials/,
    "Log in to AWS: set AWS_PROFILE and run aws sso login, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
  ],
  [
    /^(ExpiredToken|ExpiredTokenException|RequestExpired|TokenRefreshRequired)$/,
    "Log in to AWS again: the credentials have expired",
  ],
  [
    /^(AuthFailure|InvalidClientTokenId|UnrecognizedClientException|SignatureDoesNotMatch|MissingAuthenticationToken)$/,
    "Check the credentials, the clock of this machine, and that the region is enabled for the account",
  ],
  [/^UnauthorizedOperation$/, "Ask an administrator of the account to allow this action for the current credentials"],
  [
    /^(RegionMissing|Region is missing)/,
    "Set AWS_REGION, --var region=… in the clouds playbooks, or the param region of a task",
  ],
  [/^(ENOTFOUND|EAI_AGAIN)$/, "Correct the region's name, or check the network: the name of its API does not resolve"],
  [/^OptInRequired$/, "Enable the region or accept the image's terms in the AWS console"],
  [
    /^(InstanceLimitExceeded|VcpuLimitExceeded|MaxSpotInstanceCountExceeded|VolumeLimitExceeded|AddressLimitExceeded|SecurityGroupLimitExceeded|MaxIOPSLimitExceeded)$/,
    "Ask for a higher quota in the Service Quotas console, or remove resources that are not needed",
  ],
  [
    /^(InsufficientInstanceCapacity|InsufficientHostCapacity|InsufficientCapacity|SpotMaxPriceTooLow|Unsupported)$/,
    "Choose another zone or another type, or try again later: AWS has no free capacity for this type there now",
  ],
  [/^InvalidAMIID\./, "Correct the image's id: the id of an image differs between regions"],
  [/^InvalidKey(Pair)?\.Format$/, "Specify a public key in OpenSSH format, of type ed25519 or RSA"],
  [
    /^InvalidGroup\.|^InvalidSecurityGroupID\./,
    "Add a task for the security group before this one, or correct its name",
  ],
  [
    /^(VPCIdNotSpecified|DefaultVpcDoesNotExist|MissingInput)$/,
    "Name a subnet or a VPC: the region has no default VPC",
  ],
  [/^InvalidSubnetID\./, "Correct the subnet's id, or the region"],
  [/^DependencyViolation$/, "Remove what still uses the resource, or rerun when nothing uses it anymore"],
  [
    /^(RequestLimitExceeded|Throttling|ThrottlingException|TooManyRequestsException)$/,
    "Rerun in a few minutes: the account has sent too many API requests",
  ],
  [/^(InternalError|InternalFailure|ServiceUnavailable|Unavailable)$/, "Rerun: AWS reported a temporary error"],
  [/^OperationNotPermitted$/, "Turn off the machine's termination or stop protection first, if you want to remove it"],
  [/^(VolumeInUse|IncorrectState|IncorrectInstanceState)$/, "Rerun when the current change has finished"],
  [
    /^(ECONNREFUSED|ECONNRESET|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|TimeoutError)$/,
    "Check the network and the proxy settings",
  ],
  [/^Invalid|^Malformed|^Missing|^Unknown/, "Correct the params"],
];

/** The code of an SDK error, or of the SDK error behind a FurrowError. */
export function codeOf(error: unknown): string {
  const own = isFurrowError(error) ? error.failure.cause : error;
  if (!(own instanceof Error)) return "";
  if (own.message.startsWith("Region is missing")) return "RegionMissing";
  const code = (own as { readonly Code?: unknown; readonly code?: unknown }).Code ?? (own as { code?: unknown }).code;
  return own.name === "Error" && typeof code === "string" ? code : own.name;
}

/** Converts an SDK error into a FurrowError that says what was attempted, what AWS answered, and what to do. */
export function failureOf(error: unknown, doing: string, region: string | undefined): FurrowError {
  if (isFurrowError(error)) return error;
  const code = codeOf(error);
  const message = error instanceof Error ? error.message : String(error);
  const [, hint] = hints.find(([pattern]) => pattern.test(code) || pattern.test(message)) ?? [];
  return new FurrowError("E_DRIVER", {
    what: `cannot ${doing}${region === undefined ? "" : ` in ${region}`}`,
    current: message.startsWith(code) || code === "Error" ? message : `${code}: ${message}`,
    hint: hint ?? "Look up the code in the EC2 API's list of errors",
    cause: error,
  });
}
