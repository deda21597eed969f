import { redactBeginning, redactValue, visibleLine } from '@panoptes/engine/redact'
import { plain } from './plain-text.ts'

const MOST_LABEL = 200
const MOST_TEXT = 4_000
const MOST_DEEP = 6
const MOST_FIELDS = 50

/** Returns a one-line label without secrets. */
export const toLabel = (text: string, otherwise: string): string =>
  visibleLine(plain(redactBeginning(text, 4 * MOST_LABEL).text), MOST_LABEL) || otherwise

/** Bounds any value and removes secrets, so that it can be stored and shown. */
export const boundedDetail = (value: unknown): unknown => redactValue(cut(value, 0))

function cut(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return cutText(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth >= MOST_DEEP) return '…'
  if (Array.isArray(value)) return value.slice(0, MOST_FIELDS).map((one) => cut(one, depth + 1))
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, MOST_FIELDS)
      .map(([name, one]) => [cutName(name), cut(one, depth + 1)]),
  )
}

const cutName = (name: string): string =>
  name.length > MOST_LABEL ? redactBeginning(name, MOST_LABEL).text.slice(0, MOST_LABEL) : name

/** Shortens a long text. Its secrets are removed first, because part of one is not recognised. */
export const cutText = (text: string, most: number = MOST_TEXT): string =>
  text.length > most
    ? `${plain(redactBeginning(text, most).text.slice(0, most))}… (${text.length - most} more characters)`
    : plain(text)
