/**
 * The names of the settings that an install configuration may contain, from the installer's list
 * (harvester/harvester-installer, pkg/config/config.go, GetSystemSettingsAllowList).
 */
export const systemSettings: ReadonlySet<string> = new Set(
  (
    "additional-ca api-ui-version cluster-registration-url server-version ui-index ui-path ui-source ui-plugin-index " +
    "volume-snapshot-class backup-target upgradable-versions upgrade-checker-enabled upgrade-checker-url " +
    "release-download-url log-level ssl-certificates ssl-parameters support-bundle-image support-bundle-namespaces " +
    "support-bundle-timeout support-bundle-expiration support-bundle-node-collection-timeout default-storage-class " +
    "http-proxy vm-force-reset-policy overcommit-config vip-pools auto-disk-provision-paths csi-driver-config " +
    "containerd-registry storage-network default-vm-termination-grace-period-seconds auto-rotate-rke2-certs " +
    "kubeconfig-default-token-ttl-minutes harvester-csi-ccm-versions ntp-servers " +
    "additional-guest-memory-overhead-ratio csi-online-expand-validation ui-plugin-bundled-version upgrade-config " +
    "longhorn-v2-data-engine-enabled max-hotplug-ratio vm-migration-network rancher-cluster kubevirt-migration " +
    "cluster-pod-security-standard"
  ).split(" "),
);
