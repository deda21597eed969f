const SHORTEST = 8
const MARK = '[redacted]'

/**
 * Removes provider keys of any format from a text, including the beginning of a key that was cut
 * off at its end. Very short keys are kept, because they are more likely to be words.
 */
export function withoutKeys(
  text: string,
  keys: readonly string[],
  written: (key: string) => string = (key) => key,
): string {
  let clean = text
  // One key may be a prefix of another, so the longest is matched first.
  const all = keys.filter((key) => key.length >= SHORTEST).map(written)
  for (const key of all.sort((a, b) => b.length - a.length)) clean = clean.replaceAll(key, MARK)
  for (const key of all)
    for (let length = Math.min(key.length - 1, clean.length); length >= SHORTEST; length -= 1)
      if (clean.endsWith(key.slice(0, length))) return `${clean.slice(0, -length)}${MARK}`
  return clean
}
