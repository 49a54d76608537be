import { role } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";
import { onlyAfter } from "../cluster-guards/only-after.ts";
import { settingTaken } from "../cluster-settings/setting-taken.ts";
import { certificatesSchema, rotationSetting, rotationText } from "./certificates.ts";
import { nodeCertificatesReport } from "./node-reports.ts";
import { kubeVirtCertificates, pagesCertificate } from "./other-reports.ts";
import { mayRotate, rotationFinished } from "./rotation.ts";

/**
 * Configures the renewal of RKE2's certificates by Harvester, and reports when each certificate of a cluster expires.
 */
export const certificates = role(
  {
    name: "certificates",
    summary: "Configure the renewal of RKE2's certificates, and report when the certificates of a cluster expire",
    params: certificatesSchema,
  },
  ({ kubeconfig, fieldManager, autoRotate, soonDays, pagesPort, deadlineSeconds }) => {
    const value = autoRotate === undefined ? "" : rotationText(autoRotate);
    const object = {
      apiVersion: "harvesterhci.io/v1beta1",
      kind: "Setting",
      metadata: { name: rotationSetting },
      value,
    };
    const guard = autoRotate?.enabled === true && mayRotate({ kubeconfig, value });
    return [
      autoRotate !== undefined && [
        guard,
        t.kubeObject({ kubeconfig, fieldManager, force: true, object }, onlyAfter(guard)),
        settingTaken({ kubeconfig, name: rotationSetting, value }),
        autoRotate.enabled &&
          rotationFinished({ kubeconfig, expiringInHours: autoRotate.expiringInHours, deadlineSeconds }),
      ],
      nodeCertificatesReport({ kubeconfig, soonDays }),
      kubeVirtCertificates({ kubeconfig }),
      pagesCertificate({ kubeconfig, port: pagesPort, soonDays }),
    ];
  },
);
