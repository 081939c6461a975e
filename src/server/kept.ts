/** Values that are made once. */

/** Makes a value on first use and keeps it. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => made ??= make();
}

/** Makes a value of a key once and keeps it as long as that lives. */
export function ofKey<K extends object, T extends object>(
  make: (key: K) => T,
): (key: K) => T {
  const made = new WeakMap<K, T>();
  return (key) => {
    const value = made.get(key) ?? make(key);
    made.set(key, value);
    return value;
  };
}
