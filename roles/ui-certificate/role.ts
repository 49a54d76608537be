import { role } from "../../src/authoring.ts";
import { onlyAfter } from "../cluster-guards/only-after.ts";
import { keepSetting } from "../cluster-settings/keep-setting.ts";
import { certificateFits, serverUrlCovered } from "./certificate-fits.ts";
import { nameResolves } from "./name-resolves.ts";
import { certificateText, placeOf, textsOf, uiCertificateSchema } from "./ui.ts";
import { uiServes } from "./ui-serves.ts";

/** Manages the certificate of the Harvester UI, and checks that the UI's name resolves to the cluster. */
export const uiCertificate = role(
  {
    name: "ui certificate",
    summary: "Manage the certificate of the Harvester UI, and check that the UI's name resolves to the cluster",
    params: uiCertificateSchema,
  },
  (params) => {
    const { kubeconfig, fieldManager, url, addresses, minimumDays, deadlineSeconds } = params;
    const { host: name, port } = placeOf(url);
    const texts = textsOf(params);
    const { ca } = texts;
    const fits = certificateFits({ kubeconfig, name, ...texts, minimumDays });
    const covered = serverUrlCovered({ kubeconfig, ...texts }, onlyAfter(fits));
    const resolves = nameResolves(
      { kubeconfig, name, ...(addresses !== undefined && { addresses }) },
      onlyAfter(covered),
    );
    return [
      fits,
      covered,
      resolves,
      keepSetting({
        kubeconfig,
        fieldManager,
        name: "ssl-certificates",
        value: certificateText(texts),
        next: [`after a change, Harvester restarts its ingress and Rancher; the UI is at ${url}`],
        deadlineSeconds,
        guard: resolves,
      }),
      uiServes({
        kubeconfig,
        name,
        port,
        fingerprint: fits.output.map(({ fingerprint }) => fingerprint),
        ...(ca !== undefined && { ca }),
        deadlineSeconds,
      }),
    ];
  },
);
