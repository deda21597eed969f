import { redactText } from '@panoptes/engine/redact'
import { linesIn, type Shortened, shorten } from './shorten.ts'

/** Only the head of a text is kept, so only this much has to be examined. */
export const LOOKED_AT = 16_384
/** The end of the examined part, which may contain a secret that was cut in two. */
const EDGE = 6_144

export interface CleanText extends Shortened {
  readonly removed: number
}

/**
 * Removes secrets, then home folders, then cuts to the budget. Cutting earlier could leave half a
 * secret.
 */
export function cleanText(whole: string, most: number, general: (text: string) => string): CleanText {
  const { text, removed } = redactText(whole.slice(0, LOOKED_AT).toWellFormed())
  return { ...withinBudget(whole, general(text), most), removed }
}

/** Cuts a text of which only the examined part was cleaned. */
export function withinBudget(whole: string, clean: string, most: number): Shortened {
  if (whole.length <= LOOKED_AT) return shorten(clean, most)
  const head = clean.slice(0, Math.max(0, clean.length - EDGE))
  return shorten(head, most, {
    characters: whole.length - LOOKED_AT + clean.length - head.length,
    lines: linesIn(whole, LOOKED_AT) + linesIn(clean, head.length),
  })
}
