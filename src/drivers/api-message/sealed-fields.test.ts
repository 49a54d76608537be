import { expect, test } from "vitest";
import { sealedFieldValue } from "../../facts/controller/kube-seen.ts";
import { withSeals } from "./sealed-fields.ts";

function valueOf(value: unknown): unknown {
  const answer = { found: true as const, object: { kind: "Setting", value } };
  const sealed = withSeals(answer, ["value.secretAccessKey", "value.accessKeyId"]) as typeof answer;
  return sealed.object.value;
}

test("no answer contains the keys of an S3 server in the JSON text of a setting, whatever their case", () => {
  expect(valueOf('{"type":"s3","SecretAccessKey":"hunter22","accessKeyId":"","endpoint":"x"}')).toBe(
    JSON.stringify({ type: "s3", SecretAccessKey: sealedFieldValue("hunter22"), accessKeyId: "", endpoint: "x" }),
  );
});

test("a key that the text contains twice is not left in the answer", () => {
  expect(valueOf('{"secretAccessKey":"hunter22","secretAccessKey":""}')).toBe('{"secretAccessKey":""}');
});

test("a text without these keys stays as it is", () => {
  for (const same of ['{ "type": "nfs" }', "", undefined, null]) expect(valueOf(same)).toBe(same);
});

test.each(['{"secretAccessKey":"hunter22"', '["hunter22"]', '"hunter22"'])(
  "text that is not a JSON object is replaced entirely: %s",
  (broken) => expect(valueOf(broken)).toBe(sealedFieldValue(broken)),
);
