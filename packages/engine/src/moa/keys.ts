const SHORTEST = 8
const MARK = '[redacted]'

/**
 * A text without the keys of providers, whatever they look like, and without the beginning of one that was cut off at its end. A very short one is
 * a word rather than a key.
 */
export function withoutKeys(
  text: string,
  keys: readonly string[],
  written: (key: string) => string = (key) => key,
): string {
  let clean = text
  // One may be the beginning of another.
  const all = keys.filter((key) => key.length >= SHORTEST).map(written)
  for (const key of all.sort((a, b) => b.length - a.length)) clean = clean.replaceAll(key, MARK)
  for (const key of all)
    for (let length = Math.min(key.length - 1, clean.length); length >= SHORTEST; length -= 1)
      if (clean.endsWith(key.slice(0, length))) return `${clean.slice(0, -length)}${MARK}`
  return clean
}
