import type { SharedPhrase } from '@panoptes/schema'
import { type Word, wordsOf } from './word-list.ts'

/** So many words in a row are a phrase. */
const LEAST = 4
/** Places of one phrase that are looked at. */
const MOST_PLACES = 8

/** The words that an answer has in common with a reference, in runs of four and more, each part of the answer once. */
export function sharedPhrases(answer: string, reference: string, at: number): readonly SharedPhrase[] {
  const said = wordsOf(answer)
  const advised = wordsOf(reference)
  const places = placesOf(advised)
  const phrases: SharedPhrase[] = []
  for (let from = 0; from + LEAST <= said.length; ) {
    const longest = longestAt(said, from, advised, places)
    if (longest === undefined) {
      from += 1
      continue
    }
    const [start, end] = [said[from], said[from + longest.length - 1]]
    const [first, last] = [advised[longest.place], advised[longest.place + longest.length - 1]]
    if (start && end && first && last)
      phrases.push({
        reference: at,
        text: answer.slice(start.from, end.to),
        answer_from: start.from,
        answer_to: end.to,
        reference_from: first.from,
        reference_to: last.to,
      })
    from += longest.length
  }
  return phrases
}

function placesOf(words: readonly Word[]): ReadonlyMap<string, readonly number[]> {
  const places = new Map<string, number[]>()
  for (let at = 0; at + LEAST <= words.length; at += 1) {
    const key = keyAt(words, at)
    const known = places.get(key)
    if (known === undefined) places.set(key, [at])
    else if (known.length < MOST_PLACES) known.push(at)
  }
  return places
}

const keyAt = (words: readonly Word[], at: number): string =>
  words
    .slice(at, at + LEAST)
    .map(({ text }) => text)
    .join(' ')

function longestAt(
  said: readonly Word[],
  from: number,
  advised: readonly Word[],
  places: ReadonlyMap<string, readonly number[]>,
): { readonly place: number; readonly length: number } | undefined {
  let best: { place: number; length: number } | undefined
  for (const place of places.get(keyAt(said, from)) ?? []) {
    let length = LEAST
    while (
      from + length < said.length &&
      place + length < advised.length &&
      said[from + length]?.text === advised[place + length]?.text
    )
      length += 1
    if (best === undefined || length > best.length) best = { place, length }
  }
  return best
}

/** The part of an answer's words that these phrases hold; they are in the order of the answer. */
export function shareOf(answer: string, phrases: readonly SharedPhrase[]): number {
  const words = wordsOf(answer)
  if (words.length === 0) return 0
  let held = 0
  let at = 0
  for (const { from, to } of words) {
    while ((phrases[at]?.answer_to ?? Number.POSITIVE_INFINITY) < to) at += 1
    if (from >= (phrases[at]?.answer_from ?? Number.POSITIVE_INFINITY)) held += 1
  }
  return held / words.length
}
