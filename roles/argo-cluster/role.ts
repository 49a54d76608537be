import { role } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";
import { onlyAfter } from "../cluster-guards/only-after.ts";
import { registeredWithArgo } from "./registered.ts";
import { accountObjects, registrationSchema } from "./registration.ts";
import { rightsBounded } from "./rights-bounded.ts";
import { serverTrusted } from "./server-trusted.ts";

const secondsPerHour = 3600;

/**
 * Keeps a cluster registered with Argo CD: an account with permissions, a token that is replaced in time, and the
 * Secret.
 */
export const argoRegistration = role(
  {
    name: "argo cluster",
    summary: "Keep a cluster registered with Argo CD",
    params: registrationSchema,
  },
  (params) => {
    const { kubeconfig, argoKubeconfig, argoNamespace, fieldManager, name, server, labels, account, adopt } = params;
    const { secret = name, tokenHours, renewBeforeHours, acceptLoss } = params;
    const trusted = serverTrusted({ kubeconfig, server });
    const bounded = rightsBounded({ kubeconfig, account }, onlyAfter(trusted));
    const registration = {
      argoKubeconfig,
      argoNamespace,
      kubeconfig,
      secret,
      name,
      server,
      labels,
      account: { namespace: account.namespace, name: account.name },
      lifetimeSeconds: tokenHours * secondsPerHour,
      renewBeforeSeconds: renewBeforeHours * secondsPerHour,
      fieldManager,
      adopt,
      acceptLoss,
    };
    return [
      trusted,
      bounded,
      accountObjects({ account }).map((object) =>
        t.kubeObject({ kubeconfig, fieldManager, object }, onlyAfter(bounded)),
      ),
      registeredWithArgo(registration, onlyAfter(bounded)),
    ];
  },
);
