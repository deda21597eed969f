import { redactText } from '@panoptes/engine/redact'
import { linesIn, type Shortened, shorten } from './shorten.ts'

/** Only the head of a text is kept, so that no more than this has to be looked at. */
export const LOOKED_AT = 16_384
/** A secret that the look cut in two is in here. */
const EDGE = 6_144

export interface CleanText extends Shortened {
  readonly removed: number
}

/** A text without secrets, then without people's folders, then within a budget: cut earlier, half a secret could be left. */
export function cleanText(whole: string, most: number, general: (text: string) => string): CleanText {
  const { text, removed } = redactText(whole.slice(0, LOOKED_AT).toWellFormed())
  return { ...withinBudget(whole, general(text), most), removed }
}

/** What is left of a text that was cleaned up to where it was looked at. */
export function withinBudget(whole: string, clean: string, most: number): Shortened {
  if (whole.length <= LOOKED_AT) return shorten(clean, most)
  const kept = clean.slice(0, Math.max(0, clean.length - EDGE))
  return shorten(kept, most, {
    characters: whole.length - LOOKED_AT + clean.length - kept.length,
    lines: linesIn(whole, LOOKED_AT) + linesIn(clean, kept.length),
  })
}
