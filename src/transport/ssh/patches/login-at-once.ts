import type { Handler, Inside } from "./inside.ts";

/**
 * Sends the first login request right behind the request for the login service: nothing is learnt from the service's
 * answer (RFC 4253, 10), and it costs a round trip. It waits for the server's list of signature algorithms, which comes
 * with the end of the key exchange (RFC 8308, 2.4) and says how an RSA key is to sign; from servers that send none it
 * comes with the service's answer as ever.
 */
export function loginAtOnce(inside: Inside): void {
  const { SERVICE_ACCEPT: accept, EXT_INFO: learn } = inside._handlers as Record<
    "SERVICE_ACCEPT" | "EXT_INFO",
    Handler
  >;
  const { service } = inside;
  let asked: unknown;
  let learnt = false;
  let begun = false;
  const begin = (): void => {
    if (begun || asked === undefined) return;
    begun = true;
    accept(inside, asked);
  };
  inside.service = function ask(name) {
    asked = name;
    service.call(this, name);
    if (learnt) begin();
  };
  inside._handlers["SERVICE_ACCEPT"] = begin;
  inside._handlers["EXT_INFO"] = (protocol, ...details) => {
    learn(protocol, ...details);
    learnt = true;
    begin();
  };
}

/**
 * Leaves unanswered what OpenSSH says of its other host keys after the login (PROTOCOL of OpenSSH, 2.5): ssh2 would have
 * all of them proved, which costs the host a signature each, and nothing here looks at them.
 */
export function leaveOtherKeys(inside: Inside): void {
  const answer = inside._handlers["GLOBAL_REQUEST"] as Handler;
  inside._handlers["GLOBAL_REQUEST"] = (protocol, name, wantsReply, data) => {
    if (name === "hostkeys-00@openssh.com" && wantsReply !== true) return;
    answer(protocol, name, wantsReply, data);
  };
}
