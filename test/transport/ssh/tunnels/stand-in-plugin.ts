/** Stands in for session-manager-plugin, which reports on stdout what it does, before and after the host's bytes. */
import { connect } from "node:net";
import { instanceNamed } from "./stand-in.ts";

const [session = "{}", , , , parameters = "{}"] = process.argv.slice(2);
const { SessionId: id } = JSON.parse(session) as { SessionId: string };
const { Target: target, Port: asked } = JSON.parse(parameters) as { Target: string; Port: string };
const port = Number(instanceNamed(target) ?? asked);
process.stdout.write(`\nStarting session with SessionId: ${id}\n`);
const socket = connect({ host: "127.0.0.1", port, allowHalfOpen: true });
socket.on("error", () => {
  process.stdout.write("\nConnection to destination port failed, check SSM Agent logs.\n");
  process.exit(0);
});
process.stdin.pipe(socket);
socket.pipe(process.stdout, { end: false });
socket.once("end", () => process.stdout.write(`\n\nExiting session with sessionId: ${id}.\n\n`, () => process.exit(0)));
