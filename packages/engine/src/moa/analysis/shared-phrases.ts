import type { SharedPhrase } from '@panoptes/schema'
import type { Numbered } from './word-list.ts'

/** So many words in a row are a phrase. */
const LEAST = 4
/** Places of one phrase that are looked at. */
const MOST_PLACES = 8

/** The words that an answer has in common with a reference, in runs of four and more, each part of the answer once. */
export function sharedPhrases(answer: Numbered, reference: Numbered, at: number): readonly SharedPhrase[] {
  const places = placesOf(reference.numbers)
  const phrases: SharedPhrase[] = []
  for (let from = 0; from + LEAST <= answer.words.length; ) {
    const longest = longestAt(answer.numbers, from, reference.numbers, places)
    if (longest === undefined) {
      from += 1
      continue
    }
    const [start, end] = [answer.words[from], answer.words[from + longest.length - 1]]
    const { place, length } = longest
    const [first, last] = [reference.words[place], reference.words[place + length - 1]]
    if (start && end && first && last)
      phrases.push({
        reference: at,
        text: answer.text.slice(start.from, end.to),
        answer_from: start.from,
        answer_to: end.to,
        reference_from: first.from,
        reference_to: last.to,
      })
    from += length
  }
  return phrases
}

function placesOf(numbers: Uint32Array): ReadonlyMap<number, readonly number[]> {
  const places = new Map<number, number[]>()
  for (let at = 0; at + LEAST <= numbers.length; at += 1) {
    const key = keyAt(numbers, at)
    const known = places.get(key)
    if (known === undefined) places.set(key, [at])
    else if (known.length < MOST_PLACES) known.push(at)
  }
  return places
}

const MIX = 0x9e_37_79_b1

/** A number for a phrase. Others may have the same: who finds one looks at the words, too. */
function keyAt(numbers: Uint32Array, at: number): number {
  let key = 0
  for (let n = at; n < at + LEAST; n += 1) {
    key = Math.imul(key ^ (numbers[n] ?? 0), MIX)
    key ^= key >>> 15
  }
  return key
}

function longestAt(
  said: Uint32Array,
  from: number,
  advised: Uint32Array,
  places: ReadonlyMap<number, readonly number[]>,
): { readonly place: number; readonly length: number } | undefined {
  let best: { place: number; length: number } | undefined
  for (const place of places.get(keyAt(said, from)) ?? []) {
    let length = 0
    while (
      from + length < said.length &&
      place + length < advised.length &&
      said[from + length] === advised[place + length]
    )
      length += 1
    if (length >= LEAST && (best === undefined || length > best.length)) best = { place, length }
  }
  return best
}

/** The part of an answer's words that these phrases hold; they are in the order of the answer. */
export function shareOf({ words }: Numbered, phrases: readonly SharedPhrase[]): number {
  if (words.length === 0) return 0
  let held = 0
  let at = 0
  for (const { from, to } of words) {
    while ((phrases[at]?.answer_to ?? Number.POSITIVE_INFINITY) < to) at += 1
    if (from >= (phrases[at]?.answer_from ?? Number.POSITIVE_INFINITY)) held += 1
  }
  return held / words.length
}
