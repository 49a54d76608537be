import { appsFree, argoLists } from "../../roles/argo-apps/apps-free.ts";
import { appsHealthy } from "../../roles/argo-apps/apps-healthy.ts";
import { rightsBounded, rightsLists } from "../../roles/argo-cluster/rights-bounded.ts";
import { authorityPath, serverTrusted } from "../../roles/argo-cluster/server-trusted.ts";
import { rotationSetting } from "../../roles/certificates/certificates.ts";
import { nodeCertificatesReport } from "../../roles/certificates/node-reports.ts";
import { kubeVirtCertificates, kubeVirtPath, pagesCertificate } from "../../roles/certificates/other-reports.ts";
import { mayRotate, rotationFinished } from "../../roles/certificates/rotation.ts";
import { settingPath } from "../../roles/cluster-answers/one-object.ts";
import { vipPath } from "../../roles/cluster-answers/vip.ts";
import { clusterCalm } from "../../roles/cluster-settings/cluster-calm.ts";
import { settingTaken } from "../../roles/cluster-settings/setting-taken.ts";
import { otherGuests } from "../../roles/guest-fstrim/other-guests.ts";
import { trimNeeded } from "../../roles/guest-fstrim/trim-needed.ts";
import { versionPath } from "../../roles/identity/answers.ts";
import { proxyFits } from "../../roles/http-proxy/proxy-fits.ts";
import { proxyShown } from "../../roles/http-proxy/proxy-shown.ts";
import { certificateFits, serverUrlCovered, serverUrlPath } from "../../roles/ui-certificate/certificate-fits.ts";
import { nameResolves } from "../../roles/ui-certificate/name-resolves.ts";
import { uiServes } from "../../roles/ui-certificate/ui-serves.ts";
import { singleOf } from "./examples.ts";
import type { Guard } from "./guard.ts";

const name = "harvester.example.org";
const running = { found: true, object: singleOf(versionPath) };
const seen = {
  subject: `CN=${name}`,
  issuer: "CN=root",
  notBefore: "2025-01-01T00:00:00Z",
  notAfter: "2027-01-01T00:00:00Z",
  names: [name],
  fingerprint: "AA:01",
};
const given = { certificates: [seen], matchesKey: true, uncovered: [] };
const texts = { certificate: "c", key: "k" };

/** Tasks that query a cluster: those for its settings and certificates. */
export const settingsGuards: readonly Guard[] = [
  {
    name: "trimNeeded",
    module: trimNeeded,
    call: (kubeconfig) => trimNeeded({ kubeconfig }),
    lists: [],
    object: versionPath,
    says: "guard",
  },
  {
    name: "otherGuests",
    module: otherGuests,
    call: (kubeconfig) => otherGuests({ kubeconfig }),
    lists: ["instances", "machines"],
    says: "report",
  },
  {
    name: "proxyFits",
    module: proxyFits,
    call: (kubeconfig) => proxyFits({ kubeconfig, noProxy: ["192.168.10.0/24"], clusterDomain: "cluster.local" }),
    lists: ["nodes", "services"],
    object: vipPath,
    says: "guard",
  },
  {
    name: "proxyShown",
    module: proxyShown,
    call: (kubeconfig) => proxyShown({ kubeconfig, noProxy: ["192.168.10.0/24"] }),
    lists: [],
    object: settingPath("http-proxy"),
    says: "status",
  },
  {
    name: "clusterCalm",
    module: clusterCalm,
    call: (kubeconfig) => clusterCalm({ kubeconfig, setting: "http-proxy", changes: true }),
    lists: ["nodes", "upgrades"],
    says: "guard",
  },
  {
    name: "settingTaken",
    module: settingTaken,
    call: (kubeconfig) => settingTaken({ kubeconfig, name: "http-proxy", deadlineSeconds: 1 }),
    lists: [],
    object: settingPath("http-proxy"),
    wait: { object: "setting", others: {} },
    says: "wait",
  },
  {
    name: "nameResolves",
    module: nameResolves,
    call: (kubeconfig) => nameResolves({ kubeconfig, name }),
    lists: [],
    object: vipPath,
    drivers: { dns: () => ({ addresses: ["192.168.10.10"] }) },
    says: "guard",
  },
  {
    name: "certificateFits",
    module: certificateFits,
    call: (kubeconfig) => certificateFits({ kubeconfig, name, ...texts, minimumDays: 7 }),
    lists: [],
    object: vipPath,
    drivers: { certificate: () => given },
    says: "guard",
  },
  {
    name: "serverUrlCovered",
    module: serverUrlCovered,
    call: (kubeconfig) => serverUrlCovered({ kubeconfig, ...texts }),
    lists: [],
    object: serverUrlPath,
    drivers: { certificate: () => given },
    says: "guard",
  },
  {
    name: "uiServes",
    module: uiServes,
    call: (kubeconfig) => uiServes({ kubeconfig, name, port: 443, fingerprint: "AA:01", deadlineSeconds: 1 }),
    lists: [],
    object: vipPath,
    drivers: { certificate: () => ({ certificate: seen }) },
    wait: { object: "vip", others: { served: { certificate: seen } } },
    says: "wait",
  },
  {
    name: "mayRotate",
    module: mayRotate,
    call: (kubeconfig) => mayRotate({ kubeconfig, value: "" }),
    lists: ["nodes", "upgrades"],
    object: settingPath(rotationSetting),
    drivers: { certificate: () => ({ certificate: seen }) },
    says: "guard",
  },
  {
    name: "rotationFinished",
    module: rotationFinished,
    call: (kubeconfig) => rotationFinished({ kubeconfig, expiringInHours: 240, deadlineSeconds: 1 }),
    lists: ["nodes"],
    object: settingPath(rotationSetting),
    wait: { object: "setting", others: { running, operator: { who: "me@here", since: "2026-01-01T00:00:00Z" } } },
    says: "wait",
  },
  {
    name: "nodeCertificatesReport",
    module: nodeCertificatesReport,
    call: (kubeconfig) => nodeCertificatesReport({ kubeconfig, soonDays: 30 }),
    lists: ["nodes"],
    drivers: { certificate: () => ({ certificate: seen }) },
    says: "report",
  },
  {
    name: "kubeVirtCertificates",
    module: kubeVirtCertificates,
    call: (kubeconfig) => kubeVirtCertificates({ kubeconfig }),
    lists: [],
    object: kubeVirtPath,
    says: "report",
  },
  {
    name: "pagesCertificate",
    module: pagesCertificate,
    call: (kubeconfig) => pagesCertificate({ kubeconfig, port: 443, soonDays: 30 }),
    lists: [],
    object: vipPath,
    drivers: { certificate: () => ({ certificate: seen }) },
    says: "report",
  },
  {
    name: "serverTrusted",
    module: serverTrusted,
    call: (kubeconfig) => serverTrusted({ kubeconfig, server: "https://harvester.example.org:6443" }),
    lists: [],
    object: authorityPath,
    drivers: { certificate: () => ({ certificate: seen }) },
    says: "guard",
  },
  {
    name: "rightsBounded",
    module: rightsBounded,
    call: (kubeconfig) =>
      rightsBounded({ kubeconfig, account: { namespace: "kube-system", name: "argocd-manager", clusterRole: "view" } }),
    lists: rightsLists,
    says: "guard",
  },
  {
    name: "appsFree",
    module: appsFree,
    call: (kubeconfig) =>
      appsFree({
        kubeconfig,
        argoNamespace: "argocd",
        fieldManager: "furrow-apps",
        adopt: false,
        projects: ["lab"],
        applications: [],
        applicationSets: [],
        acceptLoss: [],
      }),
    lists: argoLists,
    says: "guard",
  },
  {
    name: "appsHealthy",
    module: appsHealthy,
    call: (kubeconfig) =>
      appsHealthy({ kubeconfig, argoNamespace: "argocd", applications: [], sets: [], deadlineSeconds: 1 }),
    lists: ["applications", "applicationSets"],
    says: "wait",
  },
];
