/**
 * The floor of the rerun benchmark: a hand-written script that only finds out whether anything has to be done. For each
 * host it uses one ssh2 connection and one script, with one command for each kind of object; it compares the answers on
 * the controller. Usage: `node floor.ts LAB.json`; exits with 0 if every host is converged.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import ssh2 from "ssh2";
import { directories, files, jobs, packages, units } from "./workload.ts";

interface LabFile {
  readonly identityFile: string;
  readonly knownHostsFile: string;
  readonly hosts: readonly { readonly address: string; readonly port: number }[];
}

const lab = JSON.parse(readFileSync(process.argv[2] ?? "lab.json", "utf8")) as LabFile;
const privateKey = readFileSync(lab.identityFile);
const knownHosts = readFileSync(lab.knownHostsFile, "utf8");

const paths = [...directories, ...files.map(({ path }) => path)].join(" ");
const script = `export LC_ALL=C
stat -c '%F|%a|%U|%G|%n' ${paths}
sha256sum ${files.map(({ path }) => path).join(" ")}
dpkg-query -W -f '\${Status} \${Package}\\n' ${packages.join(" ")}
systemctl show -p Id,ActiveState ${units.join(" ")}
crontab -l
`;

const expected = [
  ...directories.map((path) => `directory|755|root|root|${path}`),
  ...files.map(({ path }) => `regular file|644|root|root|${path}`),
  ...files.map(({ path, content }) => `${createHash("sha256").update(content).digest("hex")}  ${path}`),
  ...packages.map((name) => `install ok installed ${name}`),
  ...units.map((name) => `Id=${name}.service\nActiveState=active`),
  ...jobs.map(({ schedule, command }) => `${schedule} ${command}`),
];

function keyIsKnown(address: string, key: Buffer): boolean {
  return knownHosts.split("\n").some((line) => line.startsWith(`${address} `) && line.includes(key.toString("base64")));
}

function lookAt({ address, port }: LabFile["hosts"][number]): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    const client = new ssh2.Client();
    client.once("error", reject);
    client.once("ready", () => {
      client.exec("sh -s", (error, stream) => {
        if (error) return reject(error);
        let answer = "";
        stream.on("data", (data: Buffer) => (answer += data.toString("utf8")));
        stream.once("close", () => {
          client.end();
          resolve(expected.filter((line) => !answer.includes(line)));
        });
        stream.end(script);
        return undefined;
      });
    });
    client.connect({
      host: address,
      port,
      username: "root",
      privateKey,
      authHandler: ["publickey"],
      hostVerifier: (key: Buffer) => keyIsKnown(address, key),
    });
  });
}

const missing = (await Promise.all(lab.hosts.map(lookAt))).flat();
if (missing.length > 0) {
  process.stderr.write(`not converged:\n${missing.join("\n")}\n`);
  process.exitCode = 1;
}
