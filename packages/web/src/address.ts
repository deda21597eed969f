/** The last moment that the server takes as text, too: the end of the year 9999. */
const LAST_MOMENT = 253_402_300_799_999

/**
 * What a page reads of its address, and nothing else: the router lays what was read over what was written there, so what is
 * not read has to be taken away by name.
 */
export const onlyRead =
  <Search extends object>(read: (raw: Record<string, unknown>) => Search) =>
  (raw: Record<string, unknown>): Search => {
    const unread = Object.keys(raw).map((name) => [name, undefined])
    return { ...Object.fromEntries(unread), ...read(raw) }
  }

/** A whole number from the least one on. */
export function wholeIn(value: unknown, least: number, most = Number.MAX_SAFE_INTEGER): number | undefined {
  if (typeof value !== 'number' && (typeof value !== 'string' || !/^\d{1,16}$/.test(value))) return undefined
  const number = Number(value)
  return Number.isSafeInteger(number) && number >= least && number <= most ? number : undefined
}

/** A moment that can be shown. */
export const momentIn = (value: unknown): number | undefined => wholeIn(value, 1, LAST_MOMENT)
