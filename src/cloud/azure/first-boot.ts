import { FurrowError } from "../../core/errors.ts";
import { absent } from "../../core/facts/symbols.ts";
import { type AzureAct, azureHostKeyTag } from "../../facts/cloud/azure/index.ts";
import { consoleHostKeys } from "../host-keys.ts";
import { waitUntil } from "../wait.ts";
import type { Api } from "./api.ts";
import { addTags, change } from "./change.ts";
import { AzureRefusal, failureOf } from "./errors.ts";
import { propertiesOf, textOf } from "./raw.ts";
import { owned, rawMachine } from "./read.ts";
import { machineOf } from "./views.ts";

type Act<K extends AzureAct["act"]> = Extract<AzureAct, { readonly act: K }>;

/** Waits until a machine that is being created is running. */
export async function awaitMachine(api: Api, act: Act<"awaitMachine">): Promise<void> {
  await owned(api, "machine", act);
  const options = {
    deadlineSeconds: 900,
    signal: api.signal,
    say: api.say,
    hint: "Check it in the portal, then rerun",
  };
  await waitUntil(
    async () => {
      const now = await rawMachine(api, act);
      const state = now === absent ? "missing" : textOf(propertiesOf(now)["provisioningState"]);
      const status = now === absent ? "missing" : machineOf(now).status;
      if (status === "running") return { done: true };
      if (/^(missing|failed|canceled|deleting)$/i.test(state)) throw neverRuns(act, state);
      return { meanwhile: status };
    },
    { waitsFor: `the machine ${act.name} to run`, ...options },
  );
}

function neverRuns({ name }: Act<"awaitMachine">, state: string): FurrowError {
  return new FurrowError("E_DRIVER", {
    what: `the creation of the machine ${name} did not succeed`,
    current: state === "missing" ? "the machine does not exist" : `its provisioning state is ${state}`,
    expected: "a running machine",
    hint: "Rerun: the next run retries the creation; the activity log in the portal shows why it failed",
  });
}

/**
 * Waits until the machine's SSH host keys appear on its console, as recorded by its boot diagnostics, and saves the
 * best one as a tag. The console drops its old output, but the tag is in every list of machines.
 */
export async function readHostKeys(api: Api, act: Act<"readHostKeys">): Promise<void> {
  const { name, deadlineSeconds } = act;
  await owned(api, "machine", act);
  const key = await waitUntil<string>(
    async () => {
      // A tag value has at most 256 characters, so an RSA key does not fit.
      const best = consoleHostKeys(await consoleOf(api, act)).find((one) => one.length <= 256);
      return best === undefined ? { meanwhile: "none yet" } : { done: best };
    },
    {
      waitsFor: `the console of ${name} to show its SSH host keys`,
      deadlineSeconds,
      signal: api.signal,
      say: api.say,
      hint: "Check the console: an image without cloud-init prints no host keys; then set hostKeys: false and verify the key yourself",
    },
  );
  await addTags(api, "machine", act, await owned(api, "machine", act), { [azureHostKeyTag]: key });
}

/** The text of a machine's serial console; empty if Azure has none yet. */
async function consoleOf(api: Api, act: Act<"readHostKeys">): Promise<string> {
  const what = `read the console of the machine ${act.name}`;
  const notYet = ({ statusCode }: AzureRefusal): boolean => statusCode === 404 || statusCode === 409;
  let link: string;
  try {
    const asked = { method: "POST", below: "retrieveBootDiagnosticsData", what } as const;
    const { body } = await change(api, "machine", act, asked, notYet);
    link = textOf(body["serialConsoleLogBlobUri"]);
  } catch (error) {
    if (error instanceof AzureRefusal && notYet(error)) return "";
    throw error;
  }
  if (link === "") return "";
  return blobAt(api, link, what);
}

/** The content behind a signed link to Azure's storage. The link is a secret, and no message contains it. */
async function blobAt(api: Api, link: string, what: string): Promise<string> {
  if (!URL.canParse(link) || new URL(link).protocol !== "https:") {
    throw new FurrowError("E_DRIVER", {
      what: `cannot ${what} in Azure`,
      current: "the link to the console is not an https URL",
      hint: "Check AZURE_RESOURCE_MANAGER_URL, and any proxy between this machine and the API",
    });
  }
  try {
    const signal = AbortSignal.any([api.signal, AbortSignal.timeout(60_000)]);
    const answer = await fetch(link, { signal, redirect: "error" });
    const text = await answer.text();
    if (answer.ok) return text;
    if (answer.status === 404 || answer.status === 429 || answer.status >= 500) return "";
    throw failureOf(what, new AzureRefusal(answer.status, "", `the storage answered with status ${answer.status}`));
  } catch (error) {
    api.signal.throwIfAborted();
    const { cause, message } = error as { cause?: { code?: string }; message?: string };
    throw failureOf(what, error instanceof FurrowError ? error : new AzureRefusal(0, cause?.code ?? "", message ?? ""));
  }
}
