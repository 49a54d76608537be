export {
  azure,
  type AzureAct,
  azureHostKeyTag,
  type AzureKind,
  type AzureMachineParts,
  azureOwnerTag,
  azurePartsOf,
  type AzureRule,
} from "./azure.ts";
export { azureCanNest } from "./nesting.ts";
export type * from "./values.ts";
