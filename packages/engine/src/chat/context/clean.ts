import { redactText } from '@panoptes/engine/redact'
import { disarm } from './injection.ts'

export interface CleanResult {
  readonly text: string
  readonly secrets: number
  readonly unseen: number
  readonly disarmed: number
}

/** Recently cleaned texts. Memory is sent again with many messages. */
const cache = new Map<string, CleanResult>()
const MAX_CACHE_ENTRIES = 1_000
const MAX_CACHED_LENGTH = 8_000

/** Line ends of every kind. */
const LINE_ENDS = /\r\n?|[\v\f\u0085\u2028\u2029]/g

/** Control characters, direction marks, tags and invisible filler letters. */
const INVISIBLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  /\u034f|[\u0000-\u0008\u000e-\u001f\u007f-\u009f\u115f\u1160\u2800\u3164\uffa0]|[\u17b4\u17b5]|[\u180b-\u180f]|(?![\u200c\u200d])\p{Cf}/gu

/** Variation selectors. One after a character is visible; several are a place to hide text. */
const VARIANTS = /(?<=[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]|^|\s)[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/gmu

/** Joiners connect emoji and the letters of some scripts; elsewhere they can hide text. */
const JOINERS =
  /(?<!\p{L}|\p{M}|\p{Extended_Pictographic}|\ufe0f|[\u{1f3fb}-\u{1f3ff}])[\u200c\u200d]|[\u200c\u200d](?=[\p{ASCII}\u200c\u200d]|$)|(?<=\p{ASCII})[\u200c\u200d]/gmu

interface VisibleText {
  readonly text: string
  /** The number of characters removed. */
  readonly unseen: number
}

/**
 * Cleans remembered text before it is sent: removes secrets and invisible characters, and withholds
 * what reads like an instruction.
 */
export function cleanText(text: string): CleanResult {
  const before = cache.get(text)
  if (before) return before
  const seen = stripInvisible(text)
  const { text: open, removed: secrets } = redactText(seen.text)
  const harmless = disarm(open)
  const clean = { text: harmless.text, secrets, unseen: seen.unseen, disarmed: harmless.disarmed }
  if (text.length <= MAX_CACHED_LENGTH) {
    if (cache.size >= MAX_CACHE_ENTRIES) cache.clear()
    cache.set(text, clean)
  }
  return clean
}

/**
 * Cleans text that the user attached to the message. It may contain instructions, because it is the
 * user's own.
 */
export const cleanOwnText = (text: string): CleanResult => ({
  ...stripInvisible(text),
  secrets: 0,
  disarmed: 0,
})

/** Describes what was removed; undefined if nothing was. */
export function describeRemovals(all: readonly CleanResult[]): string | undefined {
  const sum = (count: (one: CleanResult) => number) => all.reduce((total, one) => total + count(one), 0)
  const parts = [
    [sum(({ disarmed }) => disarmed), 'instruction to the model'],
    [sum(({ secrets }) => secrets), 'secret'],
    [sum(({ unseen }) => unseen), 'invisible character'],
  ] as const
  const removals = parts
    .filter(([count]) => count > 0)
    .map(([count, what]) => `${count} ${what}${count === 1 ? '' : 's'}`)
  return removals.length === 0 ? undefined : `removed: ${removals.join(', ')}`
}

/** Removes invisible characters and normalizes line ends. */
export function stripInvisible(text: string): VisibleText {
  const whole = text.toWellFormed().replace(LINE_ENDS, '\n')
  let unseen = 0
  const countRemoval = () => {
    unseen += 1
    return ''
  }
  const seen = whole
    .replace(INVISIBLE, countRemoval)
    .replace(VARIANTS, countRemoval)
    .replace(JOINERS, countRemoval)
  return { text: seen, unseen }
}
