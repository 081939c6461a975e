/**
 * Whether a text is an IP address. Read by the URL parser, which every start
 * has loaded; `node:net` would load sockets for it.
 */

/** Four plain decimal octets, none with a leading zero. */
export function isIpv4(text: string): boolean {
  // The parser takes `127.1` and `01.2.3.4` too, and writes them out in full.
  return /^[\d.]*\d$/.test(text) &&
    URL.parse(`http://${text}`)?.hostname === text;
}

/** An IPv6 address without brackets and zone. */
export function isIpv6(text: string): boolean {
  return /^[\da-fA-F:.]+$/.test(text) && URL.canParse(`http://[${text}]`);
}
