/** The latest moment the server accepts as text: the end of the year 9999. */
const LAST_MOMENT = 253_402_300_799_999

/**
 * Returns only the parameters a page reads. The router merges them over the address, so parameters the page
 * does not read must be removed by name.
 */
export const dropUnknownParams =
  <Search extends object>(read: (raw: Record<string, unknown>) => Search) =>
  (raw: Record<string, unknown>): Search => {
    const unread = Object.keys(raw).map((name) => [name, undefined])
    return { ...Object.fromEntries(unread), ...read(raw) }
  }

/** Reads a whole number with a minimum. */
export function parseWholeNumber(
  value: unknown,
  least: number,
  most = Number.MAX_SAFE_INTEGER,
): number | undefined {
  if (typeof value !== 'number' && (typeof value !== 'string' || !/^\d{1,16}$/.test(value))) return undefined
  const number = Number(value)
  return Number.isSafeInteger(number) && number >= least && number <= most ? number : undefined
}

/** Reads a moment that can be shown. */
export const parseMoment = (value: unknown): number | undefined => parseWholeNumber(value, 1, LAST_MOMENT)
