/** The proxies that this machine's requests are sent through. */

import type { Config } from "../config/types.ts";
import type { UpstreamSettings } from "../proxy/route.ts";

/** The proxy variables of the server itself, upper case first. */
export function systemProxies(env: Config["env"]): UpstreamSettings {
  const [http, https, noProxy] = ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"]
    .map((name) => env(name) ?? env(name.toLowerCase()));
  return {
    ...(http === undefined ? {} : { http }),
    ...(https === undefined ? {} : { https }),
    ...(noProxy === undefined ? {} : { noProxy }),
  };
}
