import { redactValue, visibleLine } from '@panoptes/engine/redact'
import { plain } from './plain-text.ts'

const MOST_LABEL = 200
const MOST_TEXT = 4_000
const MOST_DEEP = 6
const MOST_FIELDS = 50

/** Returns a one-line label. */
export const toLabel = (text: string, otherwise: string): string =>
  visibleLine(plain(text.slice(0, 4 * MOST_LABEL)), MOST_LABEL) || otherwise

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
      .map(([name, one]) => [name.slice(0, MOST_LABEL), cut(one, depth + 1)]),
  )
}

export const cutText = (text: string, most: number = MOST_TEXT): string =>
  text.length > most ? `${plain(text.slice(0, most))}… (${text.length - most} more characters)` : plain(text)
