import { isFurrowError } from "../../../core/errors.ts";
import { authOf } from "../clients.ts";
import { untilAborted } from "../ask.ts";
import { askApi } from "../rehearsal/other-apis.ts";

/**
 * The e-mail address of the account that the credentials belong to; undefined if they do not identify it, as for a
 * federated identity. The credentials of a service account contain the address; for those of a person, furrow queries
 * Google's token endpoint, as Google's own client does (getTokenInfo in google-auth-library).
 */
export async function ownAccount(signal: AbortSignal): Promise<string | undefined> {
  try {
    const auth = await untilAborted(authOf("instances"), signal);
    const { client_email: email } = await untilAborted(auth.getCredentials(), signal);
    if (email !== undefined && email !== "") return email;
  } catch (error) {
    signal.throwIfAborted();
    if (isFurrowError(error)) throw error;
    return undefined;
  }
  const answer = await askApi({ api: "oauth2", path: "tokeninfo", method: "POST" }, signal);
  const email = answer.is === "found" ? answer.body["email"] : undefined;
  return typeof email === "string" && email !== "" ? email : undefined;
}
