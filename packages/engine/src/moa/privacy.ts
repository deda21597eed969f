import { redactText } from '@panoptes/engine/redact'

const EMAIL = /(?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,4}/g
/**
 * Groups of digits with separators between them. Bare digit runs, dates, versions and IP addresses
 * do not match.
 */
const PHONE =
  /(?<![\w.:/+-])(?:\+\d{1,3}[ .-]?)?(?:(?:\(\d{2,4}\)[ .-]?|\d{2,4}[ -])\d{3,4}[ -]\d{3,4}|\d{3}\.\d{3}\.\d{4})(?![\w-]|[.:/]\d)/g
/** With a country prefix the groups may have any length. */
const INTERNATIONAL_PHONE = /(?<![\w+])\+\d{1,3}(?:[ ./-]\(?\d{1,8}\)?){1,5}(?![\w-]|[.:/]\d)/g
const DATE = /^\d{4}-\d{2}-\d{2}/

const SHORTEST = 8
const MARK = '[redacted]'

/** Removes secrets from a text. */
export const maskSecrets = (text: string): string => redactText(text).text

/** Removes secrets and personal details such as addresses and phone numbers. */
export const maskPersonalData = (text: string): string =>
  maskSecrets(text)
    .replace(EMAIL, '[email]')
    .replace(INTERNATIONAL_PHONE, (found) =>
      countDigits(found) >= 8 && countDigits(found) <= 15 ? '[phone]' : found,
    )
    .replace(PHONE, (found) => (DATE.test(found) ? found : '[phone]'))

const countDigits = (text: string): number => text.replace(/\D/g, '').length

/**
 * Removes provider keys of any format from a text, including the beginning of a key that was cut
 * off at its end. Very short keys are kept, because they are more likely to be words.
 */
export function maskKeys(
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
