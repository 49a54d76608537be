import { expect, test } from "vitest";
import { exactly } from "../../core/facts/fact.ts";
import { file } from "../../facts/files/file.ts";
import { absent } from "../../core/facts/symbols.ts";
import { pathResolutionKind } from "../../core/facts/path-resolution.ts";
import { PathNames } from "./path-names.ts";

/** Resolved names are cached; each of these operations must clear the cache. */
test("resolves a name through the newest link or mount, even if the name was resolved before", () => {
  const names = new PathNames();
  const ask = (): string[] => [names.real("/srv/app/conf"), names.real("/srv/app", true)];
  expect(ask()).toEqual(["/srv/app/conf", "/srv/app"]);

  names.learn("/srv/app", { links: { "/srv/app": "/opt/1" }, mounts: {} });
  expect(ask()).toEqual(["/opt/1/conf", "/opt/1"]);
  names.learn("/srv/app", { links: { "/srv/app": "/opt/2" }, mounts: {} });
  expect(ask()).toEqual(["/opt/2/conf", "/opt/2"]);

  names.learn("/opt/2", { links: {}, mounts: { "/opt/2": "/data" } });
  expect(ask()).toEqual(["/data/conf", "/data"]);
  names.forget([`${pathResolutionKind}:/opt/2`]);
  expect(ask()).toEqual(["/opt/2/conf", "/opt/2"]);

  names.predict(file("/srv/app"), { type: "link", target: "/opt/3" }, "Link the release");
  expect(ask()).toEqual(["/opt/3/conf", "/opt/3"]);
  names.predict(file("/srv/app"), absent, "Remove the link");
  expect(ask()).toEqual(["/srv/app/conf", "/srv/app"]);

  names.learn("/srv", { links: { "/srv": "/mnt" }, mounts: {} });
  expect(ask()).toEqual(["/mnt/app/conf", "/mnt/app"]);
  names.clear();
  expect(ask()).toEqual(["/srv/app/conf", "/srv/app"]);
});

test("a fact about a link's target depends on the link and on the path of the target", () => {
  const names = new PathNames();
  names.learn("/srv", { links: {}, mounts: {} });
  names.learn("/srv/app", { links: { "/srv/app": "/opt/7" }, mounts: {} });
  names.learn("/opt", { links: {}, mounts: {} });
  const keys = (path: string): string[] => names.resolutionsOf(file(path)).map(({ question }) => question.key);
  expect(keys("/srv/app/").toSorted()).toEqual(["/opt", "/srv", "/srv/app"]);
  expect(keys("/srv/app")).toEqual(["/srv"]);
});

test("resolves a name with a star through the links on its path", () => {
  const names = new PathNames();
  names.learn("/d/*", { links: { "/d/*": "/e/?*" }, mounts: {} });
  expect(names.patterns([exactly("file:/d/*/q")])).toEqual([exactly("file:/d/*/q"), exactly("file:/e/?*/q")]);
});
