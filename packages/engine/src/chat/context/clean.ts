import { redactText } from '@panoptes/engine/redact'
import { disarm } from './injection.ts'
import { onlySeen } from './invisible-characters.ts'

export interface Cleaned {
  readonly text: string
  readonly secrets: number
  readonly unseen: number
  readonly disarmed: number
}

/** Recently cleaned texts. Memory is sent again with many messages. */
const cache = new Map<string, Cleaned>()
const MAX_CACHE_ENTRIES = 1_000
const MAX_CACHED_LENGTH = 8_000

/**
 * Cleans remembered text before it is sent: removes secrets and invisible characters, and withholds
 * what reads like an instruction.
 */
export function cleaned(text: string): Cleaned {
  const before = cache.get(text)
  if (before) return before
  const seen = onlySeen(text)
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
export const cleanedOwn = (text: string): Cleaned => ({ ...onlySeen(text), secrets: 0, disarmed: 0 })

/** Describes what was removed; undefined if nothing was. */
export function takenOut(all: readonly Cleaned[]): string | undefined {
  const sum = (count: (one: Cleaned) => number) => all.reduce((total, one) => total + count(one), 0)
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
