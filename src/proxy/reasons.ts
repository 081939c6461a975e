/** Why the proxy denies a host and port, as the record and answers word it. */

/** No pattern of the grant admits them. */
export const NOT_GRANTED = "not granted";

/** They are granted, and none of the addresses is one to connect to. */
export const PRIVATE = "it leads to a private address";

/** A tunnel cannot be searched for the value that its host may know. */
export const ONLY_REQUESTS =
  "a held value is meant for this host: only plain requests go there";
