import { expect, test } from "vitest";
import { sha512Crypt } from "./sha512-crypt.ts";

// The first hash is from the method's specification; the others are output of `openssl passwd -6`.
test.each([
  [
    "Hello world!",
    "saltstring",
    "$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnIFNjnQJuesI68u4OTLiBFdcbYEdFCoEOfaS35inz1",
  ],
  [
    "pässword with ümläuts",
    "Ab.9/salt16chars0",
    "$6$Ab.9/salt16chars$Uiz2Sfq2tZ2s2HBaNJaEJbrrnCO3I1LA6bJ0EQ9oCH4An0Do2UbMT8yn3j1gt.WYfZOR4AwcSD2INZ/aqFKb.1",
  ],
  [
    "0123456789".repeat(10),
    "Ab.9/salt16chars0",
    "$6$Ab.9/salt16chars$FjMc7QoGvx00P.xctoHvt9iK4MXaAYxH097/LIM7zkXVnhWvXuEeZ6DNSSmyIl3leg9tcBTvBO9a/9mNe9ea2/",
  ],
])("hashes %s with the salt %s", (password, salt, hash) => {
  expect(sha512Crypt(password, salt)).toBe(hash);
});
