import { hideCredential } from "../../core/secrets/secret.ts";
import type { Credential, Provided } from "./exec-credential.ts";
import type { Plugin } from "./plugin.ts";
import { LoginFailed, runPlugin } from "./run-plugin.ts";

interface Running {
  readonly ends: Promise<Provided>;
  readonly stop: AbortController;
  waiting: number;
}

/** The failure of a program that has worked before in this process. The failure may be transient. */
class LoginFailedAgain extends LoginFailed {
  override readonly code = "login-again";
}

/** How long a failure is reused: otherwise each of hundreds of queries would wait for a program that hangs. */
const failureMs = 3000;

/** A user who logs in through a program. The credential is cached in this process until it expires or is refused. */
export class Login {
  /** Identifies the program, its arguments and environment, and the cluster whose information it receives. */
  readonly id: string;
  readonly #plugin: Plugin;
  #provided: Provided | undefined;
  #running: Running | undefined;
  #failed: { readonly error: LoginFailed; readonly until: number } | undefined;
  #worked = false;

  constructor(plugin: Plugin, id: string) {
    this.#plugin = plugin;
    this.id = id;
  }

  /** The program, for messages. */
  get command(): string {
    return this.#plugin.command;
  }

  /** The login for a program: the same one for all kubeconfigs that configure it in the same way. */
  static of(plugin: Plugin): Login {
    const id = JSON.stringify(plugin);
    const login = logins.get(id) ?? new Login(plugin, id);
    logins.set(id, login);
    return login;
  }

  /** The cached credential, or a new one. Throws LoginFailed, or the signal's reason. */
  async credential(deadlineMs: number, signal: AbortSignal): Promise<Credential> {
    if (this.#provided !== undefined && !isOver(this.#provided)) return this.#provided.credential;
    return this.#renew(deadlineMs, signal);
  }

  /** A new credential in place of one that the server has refused, unless there is a newer one already. */
  async instead(refused: Credential, deadlineMs: number, signal: AbortSignal): Promise<Credential> {
    const isNewer = this.#provided !== undefined && this.#provided.credential !== refused;
    return isNewer ? this.credential(deadlineMs, signal) : this.#renew(deadlineMs, signal);
  }

  async #renew(deadlineMs: number, signal: AbortSignal): Promise<Credential> {
    signal.throwIfAborted();
    if (this.#failed !== undefined && Date.now() < this.#failed.until) throw this.#failed.error;
    const running = (this.#running ??= this.#run(deadlineMs));
    running.waiting += 1;
    try {
      return (await raced(running.ends, signal)).credential;
    } finally {
      running.waiting -= 1;
      if (running.waiting === 0) {
        if (this.#running === running) this.#running = undefined;
        running.stop.abort();
      }
    }
  }

  #run(deadlineMs: number): Running {
    const stop = new AbortController();
    const ends = runPlugin(this.#plugin, deadlineMs, stop.signal).then(
      (provided) => {
        const { token, key } = provided.credential;
        for (const value of [token, key?.toString()]) hideCredential(value, "kubeconfig-login");
        this.#worked = true;
        this.#failed = undefined;
        return (this.#provided = provided);
      },
      (error: unknown) => {
        if (!(error instanceof LoginFailed)) throw error;
        const failure = this.#worked ? new LoginFailedAgain(error.message) : error;
        this.#failed = { error: failure, until: Date.now() + failureMs };
        throw failure;
      },
    );
    // By then, there may be nobody left to handle a failure.
    ends.catch(() => undefined);
    return { ends, stop, waiting: 0 };
  }
}

const logins = new Map<string, Login>();

function isOver({ expires }: Provided): boolean {
  return expires !== undefined && Date.now() >= expires;
}

function raced<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((settle, fail) => {
    const abort = (): void => fail(signal.reason as Error);
    signal.addEventListener("abort", abort, { once: true });
    promise.then(settle, fail).finally(() => signal.removeEventListener("abort", abort));
  });
}
