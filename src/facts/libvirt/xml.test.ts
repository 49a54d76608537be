import { describe, expect, test } from "vitest";
import { child, element, parseXml, printXml, unescapeXml, withChild, withChildren } from "./xml.ts";

describe("XML", () => {
  test("is read with its entities decoded, and without comments and surrounding whitespace", () => {
    const root = parseXml(
      "<?xml version='1.0'?>\n<a x='&lt;&apos;&#65;&amp;lt;'>\n <!-- no -->\n <b> t &amp;\n u </b><c/>\n</a>\n",
      "a",
    );
    expect(root).toEqual(element("a", { x: "<'A&lt;" }, [element("b", {}, [], "t &\n u"), element("c")]));
  });

  test("is written as one line that reads back the same", () => {
    const root = element("a", { x: "1\n\t'\"<>&é" }, [element("ns:b", {}, [], "two\nlines")]);
    const text = printXml(root);
    expect(text).toBe("<a x='1&#10;&#9;&apos;&quot;&lt;&gt;&amp;é'><ns:b>two&#10;lines</ns:b></a>");
    expect(parseXml(text, "a")).toEqual(root);
  });

  test.each(["", "no XML", "<a><b>", "<a><b></b>", "<a><b/></a", "<a"])("refuses %j, which is not XML", (text) => {
    expect(() => parseXml(text, "network x")).toThrow("the XML of network x");
  });

  test("replaces an old part in place", () => {
    const root = parseXml("<a><b/><c/><b/><d/></a>", "a");
    expect(printXml(withChildren(root, "b", [element("e")]))).toBe("<a><e/><c/><d/></a>");
    expect(printXml(withChild(root, "b", (old) => ({ ...old, text: "x" })))).toBe("<a><b>x</b><b/><c/><d/></a>");
    expect(printXml(withChildren(root, "z", [element("z")]))).toBe("<a><b/><c/><b/><d/><z/></a>");
    expect(child(root, "b", "nothing")).toBeUndefined();
  });

  test("keeps unknown entities", () => expect(unescapeXml("&nbsp; &amp;&#x41; &")).toBe("&nbsp; &A &"));
});
