import { expect, test } from "vitest";
import { FurrowError } from "../core/errors.ts";
import { TriedPasswords } from "./tried-passwords.ts";

const wrong = new FurrowError("E_AUTH", { what: "wrong" });

test("does not send a refused password again, but sends another one", async () => {
  const tried = new TriedPasswords();
  (await tried.send("web1 a")).refused(wrong);
  await expect(tried.send("web1 a")).rejects.toBe(wrong);
  await expect(tried.send("web1 b")).resolves.toBeDefined();
});

test("lets only one of several concurrent callers send a password, and gives the others its result", async () => {
  const tried = new TriedPasswords();
  const first = await tried.send("web1 a");
  const others = [tried.send("web1 a"), tried.send("web1 a")];
  let sent = 0;
  for (const other of others) other.then(() => (sent += 1)).catch(() => undefined);
  await new Promise((resolve) => setImmediate(resolve));
  expect(sent).toBe(0);
  first.refused(wrong);
  for (const other of others) await expect(other).rejects.toBe(wrong);
});

test("lets the next caller try if the host gave no result", async () => {
  const tried = new TriedPasswords();
  const first = await tried.send("web1 a");
  const [second, third] = [tried.send("web1 a"), tried.send("web1 a")];
  first.untold();
  (await second).accepted();
  // The password was accepted once. The host then refuses it while starting up, and later accepts it again.
  (await third).refused(wrong);
  await expect(tried.send("web1 a")).resolves.toBeDefined();
});
