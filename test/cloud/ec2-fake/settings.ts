import type { World } from "./world.ts";

/**
 * The response of Systems Manager to a query for a setting of the account
 * (https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_GetServiceSetting.html).
 */
export function serviceSetting({ behaviour }: World, body: string): { status: number; body: string } {
  const { SettingId } = JSON.parse(body) as { readonly SettingId: string };
  const { hostManagement: Status } = behaviour;
  if (Status === undefined) return { status: 400, body: JSON.stringify({ __type: "AccessDeniedException" }) };
  if (SettingId !== "/ssm/managed-instance/default-ec2-instance-management-role") {
    return { status: 400, body: JSON.stringify({ __type: "ServiceSettingNotFound" }) };
  }
  const SettingValue =
    Status === "Default" ? "$None" : "service-role/AWSSystemsManagerDefaultEC2InstanceManagementRole";
  return { status: 200, body: JSON.stringify({ ServiceSetting: { SettingId, SettingValue, Status } }) };
}
