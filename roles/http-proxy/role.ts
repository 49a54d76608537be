import { role } from "../../src/authoring.ts";
import { onlyAfter } from "../cluster-guards/only-after.ts";
import { keepSetting } from "../cluster-settings/keep-setting.ts";
import { httpProxySchema, proxyText } from "./proxy.ts";
import { proxyFits } from "./proxy-fits.ts";
import { proxyShown } from "./proxy-shown.ts";

/** Sets the proxy through which a Harvester cluster reaches other servers. */
export const httpProxy = role(
  {
    name: "http proxy",
    summary: "Set the proxy through which a Harvester cluster reaches other servers",
    params: httpProxySchema,
  },
  (params) => {
    const {
      kubeconfig,
      fieldManager,
      httpProxy: http,
      httpsProxy: https,
      noProxy,
      clusterDomain,
      deadlineSeconds,
    } = params;
    const fits = proxyFits({ kubeconfig, noProxy, clusterDomain });
    const shown = proxyShown(
      {
        kubeconfig,
        ...(http !== undefined && { httpProxy: http }),
        ...(https !== undefined && { httpsProxy: https }),
        noProxy,
      },
      onlyAfter(fits),
    );
    return [
      fits,
      shown,
      keepSetting({
        kubeconfig,
        fieldManager,
        name: "http-proxy",
        value: proxyText(params),
        next: [
          "after a change, Rancher passes the proxy on to RKE2 on each node: check that all stay Ready, with kubectl get nodes",
        ],
        deadlineSeconds,
        guard: shown,
      }),
    ];
  },
);
