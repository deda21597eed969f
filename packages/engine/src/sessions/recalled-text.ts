import { type Hit, scorerOf, type WeighedWord, type WordPlace } from '@panoptes/engine/ledger'

export interface Said {
  readonly hit: Hit
  readonly text: string
}

/** Characters of one that are given, around the best place in it. */
const LENGTH = 1_200
const BEFORE = 200
/** So much more something of today counts than something old, and after so long half of it. */
const RECENT = 0.15
const HALF_LIFE_MS = 30 * 86_400_000
/** Two texts that share so many of their words are the same. */
const SAME = 0.8

/** The best first, each once, cut to what matters in them. One that has only one of many words has nothing to do with them. */
export function judge(
  said: readonly Said[],
  words: readonly WeighedWord[],
  limit: number,
): { readonly best: readonly Said[]; readonly total: number } {
  const scoreOf = scorerOf(words)
  // What is recent is told by the newest of them and not by the clock: the same question has the same answer.
  const newest = Math.max(...said.map(({ hit }) => hit.ts ?? 0))
  const ranked = said
    .map(({ hit, text }) => {
      const whole = text.normalize('NFC')
      const { score, ...rest } = scoreOf(whole)
      return { hit, text: whole, score: score * freshness(hit, newest), ...rest }
    })
    .filter(({ isAbout }) => isAbout)
    .sort((a, b) => b.score - a.score || byTime(a.hit, b.hit))
  const best: Said[] = []
  const known: ReadonlySet<string>[] = []
  let same = 0
  for (const { hit, text, places } of ranked) {
    if (best.length >= limit) break
    const part = partOf(text, places, words)
    const own = new Set(part.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])
    if (known.some((other) => isSame(own, other))) {
      same += 1
      continue
    }
    known.push(own)
    best.push({ hit, text: part })
  }
  return { best, total: ranked.length - same }
}

/** The newest first. */
const byTime = (a: Hit, b: Hit): number =>
  (b.ts ?? 0) - (a.ts ?? 0) || a.session_id.localeCompare(b.session_id) || b.n - a.n

const freshness = ({ ts }: Hit, newest: number): number =>
  ts === null ? 1 : 1 + RECENT * 2 ** ((ts - newest) / HALF_LIFE_MS)

/** The stretch with the most and rarest words, each counted once. */
function partOf(text: string, places: readonly WordPlace[], words: readonly WeighedWord[]): string {
  if (text.length <= LENGTH) return text.toWellFormed()
  const sorted = [...places].sort((a, b) => a.at - b.at)
  let start = 0
  let most = -1
  for (const [index, { at }] of sorted.entries()) {
    const seen = new Set<number>()
    for (let next = index; next < sorted.length; next += 1) {
      const place = sorted[next]
      if (place === undefined || place.at > at + LENGTH - BEFORE) break
      seen.add(place.word)
    }
    const sum = [...seen].reduce((total, word) => total + (words[word]?.weight ?? 0), 0)
    if (sum <= most) continue
    most = sum
    start = at
  }
  const from = wordAt(text, Math.min(Math.max(0, start - BEFORE), text.length - LENGTH))
  const end = from + LENGTH
  return `${from > 0 ? '…' : ''}${text.slice(from, end).toWellFormed()}${end < text.length ? '…' : ''}`
}

/** It begins with a word, where one begins nearby. */
function wordAt(text: string, at: number): number {
  if (at === 0) return 0
  const space = text.slice(at, at + 40).search(/\s/)
  return space < 0 ? at : at + space + 1
}

function isSame(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  const [small, large] = one.size < other.size ? [one, other] : [other, one]
  if (small.size < SAME * large.size) return false
  let common = 0
  for (const word of small) if (large.has(word)) common += 1
  return common >= SAME * (small.size + large.size - common)
}
