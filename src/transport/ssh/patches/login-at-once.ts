import type { Handler, Inside } from "./inside.ts";

/**
 * Sends the first login request right after the request for the login service. The service's answer carries no
 * information (RFC 4253, 10) and costs a round trip. The request waits for the server's list of signature algorithms,
 * which arrives at the end of the key exchange (RFC 8308, 2.4) and decides how an RSA key signs. For servers that send
 * no list, it waits for the service's answer as usual.
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
 * Ignores OpenSSH's message about its other host keys after the login (OpenSSH's PROTOCOL, 2.5). ssh2 would ask for a
 * proof of each, which costs the host a signature per key, and furrow does not use them.
 */
export function leaveOtherKeys(inside: Inside): void {
  const answer = inside._handlers["GLOBAL_REQUEST"] as Handler;
  inside._handlers["GLOBAL_REQUEST"] = (protocol, name, wantsReply, data) => {
    if (name === "hostkeys-00@openssh.com" && wantsReply !== true) return;
    answer(protocol, name, wantsReply, data);
  };
}
