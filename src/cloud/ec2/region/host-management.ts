import { isRecord } from "../../../core/facts/symbols.ts";
import type { Ec2HostManagement } from "../../../facts/cloud/ec2/index.ts";
import type { Ec2 } from "../client.ts";
import { jsonCall } from "../json-call.ts";

/**
 * Whether the account's default host management is on in the region
 * (https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_GetServiceSetting.html). If it is on, the
 * setting, which names a role, has the status `Customized` instead of `Default`.
 */
export async function hostManagement(ec2: Ec2): Promise<Ec2HostManagement> {
  const said = await jsonCall(ec2, {
    service: "ssm",
    name: "Systems Manager",
    variable: "AWS_ENDPOINT_URL_SSM",
    target: "AmazonSSM.GetServiceSetting",
    input: { SettingId: "/ssm/managed-instance/default-ec2-instance-management-role" },
  });
  if (typeof said === "string") return { known: false, on: false, why: said };
  const setting = isRecord(said.answer) && isRecord(said.answer["ServiceSetting"]) ? said.answer["ServiceSetting"] : {};
  const { Status: status } = setting as { readonly Status?: unknown };
  if (status === "Default") return { known: true, on: false };
  if (status === "Customized") return { known: true, on: true };
  return { known: false, on: false, why: `Systems Manager reports the status ${JSON.stringify(status ?? "none")}` };
}
