/**
 * Stands in for gcloud: accepts only the arguments that Google documents for a tunnel on stdin. FURROW_TEST_INSTANCES
 * contains the port of each instance, or the name of a failure.
 */
import { connect } from "node:net";
import { failures, fail, instanceNamed, optionsIn } from "./stand-in.ts";

const [group, command, instance = "", , ...words] = process.argv.slice(2);
if (group !== "compute" || command !== "start-iap-tunnel") fail("ERROR: (gcloud) Invalid choice", 2);
const rest = words.filter((word) => word !== "--listen-on-stdin" && word !== "--quiet");
if (!words.includes("--listen-on-stdin")) fail("Listening on port [40000].", 0);
const { project = "", zone = "" } = optionsIn(rest, ["--project", "--zone"]);
const ours = "ERROR: (gcloud.compute.start-iap-tunnel)";
const found = instanceNamed(instance);
const missing = `${ours} Could not fetch resource:\n - The resource 'projects/${project}/zones/${zone}/instances/${instance}' was not found`;
if (found === undefined) fail(missing, 1);
failures(found, {
  stopped: [`${ours} Error while connecting [4047: 'Failed to lookup instance'].`, 1],
  denied: [`${ours} Error while connecting [4033: 'not authorized'].`, 1],
  "logged-out": [
    `${ours} You do not currently have an active account selected.\nPlease run:\n\n  $ gcloud auth login\n\nto obtain new credentials.`,
    1,
  ],
});
process.stderr.write("WARNING: \n\nTo increase the performance of the tunnel, consider installing NumPy.\n\n");
const socket = connect({ host: "127.0.0.1", port: Number(found), allowHalfOpen: true });
socket.on("error", () =>
  fail(`${ours} Error while connecting [4003: 'failed to connect to backend']. (Failed to connect to port 22)`, 1),
);
process.stdin.pipe(socket);
socket.pipe(process.stdout);
socket.once("end", () => process.stdout.once("finish", () => process.exit(0)));
