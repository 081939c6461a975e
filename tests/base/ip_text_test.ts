import { equal } from "node:assert/strict";
import { isIPv4, isIPv6 } from "node:net";
import fc from "fast-check";
import { isIpv4, isIpv6 } from "../../src/base/ip_text.ts";

const NEAR_ADDRESSES = [
  ...["127.0.0.1", "0.0.0.0", "255.255.255.255", "256.0.0.1", "127.1"],
  ...["01.2.3.4", "1.2.3.4.", ".1.2.3.4", "1.2.3.4\n", " 1.2.3.4", "0x7f.1"],
  ...["1", "4294967295", "١.2.3.4", "1.2.3.4:80", "1.2.3.4/", "", "localhost"],
  ...["::", "::1", "1::", "FE80::1", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7::"],
  ...["1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7", ":::", "1::2::3", ":1", "1:"],
  ...["::ffff:1.2.3.4", "::1.2.3", "::01.2.3.4", "1.2.3.4::", "::1.2.3.4:5"],
  ...["00000::1", "::g", "[::1]", "::1]:80", "::1]/", "::1\t", "::1@", "::1#"],
];

Deno.test("isIpv4, isIpv6: agree with node:net on addresses and near ones", () => {
  for (const text of NEAR_ADDRESSES) {
    equal(isIpv4(text), isIPv4(text), text);
    equal(isIpv6(text), isIPv6(text), text);
  }
});

Deno.test("isIpv6: is no zone's", () => {
  equal(isIpv6("fe80::1%eth0"), false);
});

Deno.test("isIpv4, isIpv6: agree with node:net on any text of their letters", () => {
  const part = fc.stringMatching(/^[0-9a-fA-F:.]{0,5}$/);
  fc.assert(
    fc.property(
      fc.oneof(
        fc.ipV4(),
        fc.ipV6(),
        fc.array(part, { maxLength: 9 }).map((parts) => parts.join(":")),
        fc.array(fc.nat(300), { maxLength: 5 }).map((all) => all.join(".")),
      ),
      (text) => {
        equal(isIpv4(text), isIPv4(text), text);
        equal(isIpv6(text), isIPv6(text), text);
      },
    ),
    { numRuns: 5_000 },
  );
});
