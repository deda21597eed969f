import { redactText } from '@panoptes/engine/redact'
import { disarm } from './injection.ts'
import { onlySeen } from './unseen.ts'

export interface Cleaned {
  readonly text: string
  readonly secrets: number
  readonly unseen: number
  readonly disarmed: number
}

/** What was cleaned lately: memory is told again and again. */
const known = new Map<string, Cleaned>()
const MOST_KNOWN = 1_000
const LONGEST_KNOWN = 8_000

/** Remembered text as it may be told: no secrets, nothing that is not seen, nothing that reads like an instruction. */
export function cleaned(text: string): Cleaned {
  const before = known.get(text)
  if (before) return before
  const seen = onlySeen(text)
  const { text: open, removed: secrets } = redactText(seen.text)
  const harmless = disarm(open)
  const clean = { text: harmless.text, secrets, unseen: seen.unseen, disarmed: harmless.disarmed }
  if (text.length <= LONGEST_KNOWN) {
    if (known.size >= MOST_KNOWN) known.clear()
    known.set(text, clean)
  }
  return clean
}

/** What the person gave with the message, to be read as it is. */
export const cleanedOwn = (text: string): Cleaned => ({ ...onlySeen(text), secrets: 0, disarmed: 0 })

/** What was taken out, in words; undefined where nothing was. */
export function takenOut(all: readonly Cleaned[]): string | undefined {
  const sum = (count: (one: Cleaned) => number) => all.reduce((total, one) => total + count(one), 0)
  const parts = [
    [sum(({ disarmed }) => disarmed), 'instruction to the model'],
    [sum(({ secrets }) => secrets), 'secret'],
    [sum(({ unseen }) => unseen), 'unseen character'],
  ] as const
  const told = parts
    .filter(([count]) => count > 0)
    .map(([count, what]) => `${count} ${what}${count === 1 ? '' : 's'}`)
  return told.length === 0 ? undefined : `taken out: ${told.join(', ')}`
}
