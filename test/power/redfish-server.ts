import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";

/** The states of ComputerSystem.PowerState (DMTF DSP8010, Resource.PowerState) that the server uses. */
type Power = "On" | "Off" | "PoweringOn" | "PoweringOff";

/**
 * A management controller with one machine or several, written from the published schema: the service root, the
 * collection of systems, ComputerSystem with its action Reset, and ActionInfo (DMTF DSP0266, DSP8010). It uses basic
 * authentication, which DSP0266 requires of every service.
 */
export class RedfishServer {
  url = "";
  readonly login = { user: "furrow", password: "bmc-pass-word" };
  power: Power = "On";
  /**
   * How the machine reacts to GracefulShutdown: it shuts down, it does nothing, or the controller refuses the request.
   */
  guest: "obeys" | "hangs" | "refused" = "obeys";
  /** The ResetTypes that the controller accepts, and where it lists them. */
  resets: readonly string[] = ["On", "ForceOff", "GracefulShutdown", "ForceRestart", "Nmi"];
  listsIn: "action" | "info" | "nowhere" = "action";
  systems: readonly string[] = ["1"];
  /** The duration of a power change, in milliseconds. */
  takesMs = 30;
  /** Called for each Reset. */
  onReset: () => void = () => {};
  /** Requests, without their passwords: `POST /redfish/… {"ResetType":"On"}`. */
  readonly seen: string[] = [];
  /** The number of connections that sent a request with a password. */
  logins = 0;
  #server: Server | undefined;

  async up(tls: { readonly cert: string; readonly key: string }): Promise<void> {
    const server = createServer(tls, (asked, answer) => {
      let body = "";
      asked.on("data", (part: Buffer) => (body += part.toString()));
      asked.on("end", () => {
        this.seen.push(`${asked.method} ${asked.url} ${body}`.trim());
        const { user, password } = this.login;
        if (asked.headers.authorization !== undefined) this.logins += 1;
        const isIn = asked.headers.authorization === `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
        const [status, said]: readonly [number, object?] =
          asked.url === "/redfish/v1/"
            ? [200, this.#root()]
            : isIn
              ? this.#answer(`${asked.method} ${asked.url}`, body)
              : [401, error("Unauthorized")];
        answer.writeHead(status, { "content-type": "application/json", "odata-version": "4.0" });
        answer.end(said === undefined ? undefined : JSON.stringify(said));
      });
    });
    this.#server = server;
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve);
    });
    this.url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  down(): void {
    this.#server?.closeAllConnections();
    this.#server?.close();
  }

  #root(): object {
    return {
      "@odata.type": "#ServiceRoot.v1_5_0.ServiceRoot",
      "@odata.id": "/redfish/v1/",
      RedfishVersion: "1.6.0",
      Systems: { "@odata.id": "/redfish/v1/Systems" },
    };
  }

  #answer(request: string, body: string): readonly [number, object?] {
    if (request === "GET /redfish/v1/Systems")
      return [
        200,
        {
          "@odata.type": "#ComputerSystemCollection.ComputerSystemCollection",
          "@odata.id": "/redfish/v1/Systems",
          "Members@odata.count": this.systems.length,
          Members: this.systems.map((id) => ({ "@odata.id": `/redfish/v1/Systems/${id}` })),
        },
      ];
    const [, id = "", rest = ""] = /^(?:GET|POST) \/redfish\/v1\/Systems\/([^/]+)(\/.*)?$/.exec(request) ?? [];
    if (!this.systems.includes(id)) return [404, error("The resource does not exist.")];
    if (request.startsWith("GET") && rest === "") return [200, this.#system(id)];
    if (request.startsWith("GET") && rest === "/ResetActionInfo")
      return [
        200,
        {
          "@odata.type": "#ActionInfo.v1_1_2.ActionInfo",
          Parameters: [{ Name: "ResetType", Required: true, DataType: "String", AllowableValues: this.resets }],
        },
      ];
    if (request.startsWith("POST") && rest === "/Actions/ComputerSystem.Reset") return this.#reset(body);
    return [405, error("The method is not allowed.")];
  }

  #system(id: string): object {
    return {
      "@odata.type": "#ComputerSystem.v1_16_0.ComputerSystem",
      "@odata.id": `/redfish/v1/Systems/${id}`,
      Id: id,
      Name: "node",
      SystemType: "Physical",
      PowerState: this.power,
      Actions: {
        "#ComputerSystem.Reset": {
          target: `/redfish/v1/Systems/${id}/Actions/ComputerSystem.Reset`,
          ...(this.listsIn === "action" && { "ResetType@Redfish.AllowableValues": this.resets }),
          ...(this.listsIn === "info" && { "@Redfish.ActionInfo": `/redfish/v1/Systems/${id}/ResetActionInfo` }),
        },
      },
    };
  }

  #reset(body: string): readonly [number, object?] {
    this.onReset();
    const { ResetType } = JSON.parse(body) as { ResetType: string };
    if (!this.resets.includes(ResetType))
      return [400, error(`The value ${ResetType} is not in the list of acceptable values.`)];
    if (ResetType === "GracefulShutdown") {
      if (this.guest === "refused") return [503, error("The host does not take part in power management.")];
      if (this.guest === "obeys") this.#become("PoweringOff", "Off");
    }
    if (ResetType === "ForceOff") this.#become("PoweringOff", "Off");
    if (ResetType === "On") this.#become("PoweringOn", "On");
    return [204];
  }

  #become(first: Power, then: Power): void {
    this.power = first;
    setTimeout(() => (this.power = then), this.takesMs);
  }
}

function error(Message: string): object {
  return {
    error: {
      code: "Base.1.8.GeneralError",
      message: "See ExtendedInfo.",
      "@Message.ExtendedInfo": [{ MessageId: "Base.1.8.GeneralError", Message }],
    },
  };
}
