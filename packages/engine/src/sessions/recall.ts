import { setImmediate as turn } from 'node:timers/promises'
import { redactText } from '@panoptes/engine/redact'
import {
  createScorer,
  type Hit,
  type RecallQuery,
  type WeighedWord,
  type WordPlace,
} from '@panoptes/engine/store'
import { orThrow, Refused } from '@panoptes/engine/worker-rpc'
import type { Message } from '@panoptes/schema'
import { clamp, plural } from '@panoptes/schema/numbers'
import { failure } from '@panoptes/schema/result'
import { type MessageTexts, MOST_A_TEXT } from './message-text-cache.ts'
import { found, groupHits, type Texts } from './search.ts'

/** A message found in a past session. */
export interface RecalledMessage {
  readonly source: string
  readonly session_id: string
  readonly title: string | null
  readonly message_id: string
  readonly role: 'user' | 'assistant'
  readonly ts: number | null
  /** The words around the best place, or a whole short message. */
  readonly text: string
}

export interface RecalledMessages {
  /** The matches, best first. */
  readonly found: readonly RecalledMessage[]
  /** The number of matches of similar quality, including those beyond the limit. */
  readonly total: number
  readonly note?: string
}

export interface RecallOptions {
  readonly limit: number
  readonly except?: RecallQuery['except']
}

/** The caller waits for the answer: slower texts are left out when enough others were found. */
const ENOUGH_MS = 8
const MOST_MS = 100
/** Texts that took longer are read in the background for the next question, for at most this long. */
const LATER_MS = 250
/** The number of messages whose texts are checked per requested result. */
const LOOKED = 2
const LEAST_LOOKED = 12
const MOST_LOOKED = 32

/** The index suggests messages that may relate to a text, and their own texts decide how much. */
export async function recall(
  from: Texts,
  texts: MessageTexts,
  text: string,
  { limit, except }: RecallOptions,
  stopped: () => boolean = () => false,
): Promise<RecalledMessages> {
  const orStop = () => {
    if (stopped()) throw new Refused(failure('stopped', 'The search was stopped before it finished.'))
  }
  const began = performance.now()
  // The caller's abort message may have arrived already.
  await turn()
  orStop()
  const most = clamp(limit * LOOKED, LEAST_LOOKED, MOST_LOOKED)
  const { hits, words } = orThrow(await from.index.recall({ text, most, except, until: began + MOST_MS / 2 }))
  const isOver = (read: number) =>
    stopped() || performance.now() > began + (read >= limit ? ENOUGH_MS : MOST_MS)
  const unread = await readTexts(hits, from, texts, isOver)
  orStop()
  if (unread.length > 0) {
    const end = performance.now() + LATER_MS
    setImmediate(() => void readTexts(unread, from, texts, () => performance.now() > end))
  }
  const candidates = hits.flatMap((hit) => {
    const own = texts.get(hit)
    return own === undefined || own === null ? [] : [{ hit, text: own }]
  })
  const { best, total } = judge(candidates, words, limit)
  return {
    found: best.map(({ hit, text: part }) => ({
      source: hit.source,
      session_id: hit.session_id,
      title: hit.title,
      message_id: hit.id,
      role: hit.role === 'user' ? 'user' : 'assistant',
      ts: hit.ts,
      text: part,
    })),
    total,
    ...(unread.length > 0 && {
      note: `${plural(unread.length, 'message was', 'messages were')} not read in time`,
    }),
  }
}

/**
 * Reads message texts and returns the hits it could not read. Sources that can find single messages come
 * first.
 */
async function readTexts(
  hits: readonly Hit[],
  from: Texts,
  texts: MessageTexts,
  isOver: (read: number) => boolean,
): Promise<readonly Hit[]> {
  const groups = groupHits(hits.filter((hit) => texts.get(hit) === undefined))
  const canFind = ([{ source }]: (typeof groups)[number]) =>
    from.index.archive !== undefined || from.sources.get(source)?.find !== undefined
  const unread: Hit[] = []
  const isLate = () => isOver(read)
  let read = hits.filter((hit) => typeof texts.get(hit) === 'string').length
  for (const group of [...groups.filter(canFind), ...groups.filter((each) => !canFind(each))]) {
    if (isLate()) {
      unread.push(...group)
      continue
    }
    const messages = await found(from, group, isLate)
    for (const hit of group) {
      const message = messages.get(hit)
      if (message === undefined) {
        if (isLate()) unread.push(hit)
        continue
      }
      const text = messageText(message)
      texts.set(hit, text)
      if (text !== null) read += 1
    }
  }
  return unread
}

/**
 * Returns the text of a message without reasoning, tools and secrets, because it is shown elsewhere. Null for
 * messages by the client itself.
 */
function messageText({ content, hidden, state }: Message): string | null {
  if (hidden || state === 'summary') return null
  const text = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')
  return text.trim() === '' ? null : redactText(text.slice(0, MOST_A_TEXT)).text
}

interface RecalledText {
  readonly hit: Hit
  readonly text: string
}

/** The length of an excerpt in characters, around the best place in it. */
const LENGTH = 1_200
const BEFORE = 200
/** A message of today gets this bonus over an old one, and half of it after this time. */
const RECENT = 0.15
const HALF_LIFE_MS = 30 * 86_400_000
/** Two texts that share this part of their words count as the same. */
const SAME = 0.8

/**
 * Ranks the texts, removes duplicates and cuts excerpts. A text with only one of many words is not related.
 */
export function judge(
  recalled: readonly RecalledText[],
  words: readonly WeighedWord[],
  limit: number,
): { readonly best: readonly RecalledText[]; readonly total: number } {
  const scoreText = createScorer(words)
  // Recency is relative to the newest hit rather than to the clock, so that the same question has the same
  // answer.
  const newest = Math.max(...recalled.map(({ hit }) => hit.ts ?? 0))
  const ranked = recalled
    .map(({ hit, text }) => {
      const whole = text.normalize('NFC')
      const { score, ...rest } = scoreText(whole)
      return { hit, text: whole, score: score * freshness(hit, newest), ...rest }
    })
    .filter(({ isAbout }) => isAbout)
    .sort((a, b) => b.score - a.score || byTime(a.hit, b.hit))
  const best: RecalledText[] = []
  const wordSets: ReadonlySet<string>[] = []
  let same = 0
  for (const { hit, text, places } of ranked) {
    if (best.length >= limit) break
    const part = excerpt(text, places, words)
    const own = new Set(part.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])
    if (wordSets.some((other) => isSame(own, other))) {
      same += 1
      continue
    }
    wordSets.push(own)
    best.push({ hit, text: part })
  }
  return { best, total: ranked.length - same }
}

/** Sorts the newest hit first. */
const byTime = (a: Hit, b: Hit): number =>
  (b.ts ?? 0) - (a.ts ?? 0) || a.session_id.localeCompare(b.session_id) || b.n - a.n

const freshness = ({ ts }: Hit, newest: number): number =>
  ts === null ? 1 : 1 + RECENT * 2 ** ((ts - newest) / HALF_LIFE_MS)

/** Returns the passage with the most and rarest words, counting each word once. */
function excerpt(text: string, places: readonly WordPlace[], words: readonly WeighedWord[]): string {
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
  const from = wordAt(text, clamp(start - BEFORE, 0, text.length - LENGTH))
  const end = from + LENGTH
  return `${from > 0 ? '…' : ''}${text.slice(from, end).toWellFormed()}${end < text.length ? '…' : ''}`
}

/** Moves to the beginning of a word, if one begins nearby. */
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
