import { expect } from "vitest";
import { testPackageFacts } from "../../../test/packages/facts.ts";
import { absent } from "../../core/facts/symbols.ts";
import type { PackagePlan } from "./package-plan.ts";

const nothing: PackagePlan = { installs: [], upgrades: [], downgrades: [], removes: [], reason: absent, clash: false };
const reason = expect.stringContaining("nowhere") as string;

testPackageFacts([
  {
    id: "opensuse-leap",
    manager: "zypper",
    ready: `zypper --non-interactive addrepo --no-gpgcheck file:///srv/rpm test; zypper --non-interactive refresh; zypper --non-interactive install shell hello=1.0 gate upper; zypper addlock 'upp*'; touch /var/cache/zypp/raw`,
    versions: ["1.0-1", "2.0-1"],
    plan: [
      { ...nothing, upgrades: ["hello"] },
      { ...nothing, reason },
    ],
  },
  {
    id: "fedora",
    manager: "dnf",
    ready: `mkdir -p /etc/yum.repos.d; printf '[test]\\nname=test\\nbaseurl=file:///srv/rpm\\ngpgcheck=0\\n' >/etc/yum.repos.d/test.repo; dnf -y install shell hello-1.0 gate upper; touch /var/cache/dnf`,
    versions: ["1.0-1", "2.0-1"],
    plan: [
      { ...nothing, upgrades: ["hello"] },
      { ...nothing, reason },
    ],
  },
]);
