import { setImmediate as turn } from 'node:timers/promises'
import type { Listed, SessionSource } from '@panoptes/engine/sources'
import type { Hit, SearchQuery, SessionIndex } from '@panoptes/engine/store'
import { orThrow, Refused } from '@panoptes/engine/worker-rpc'
import type { FoundMessage, Message, UnreadPart } from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'
import { searchText } from './index-message.ts'

/** The index finds the messages; their text is read from the source as long as the caller waits. */
export async function search(
  index: SessionIndex,
  sources: ReadonlyMap<string, SessionSource>,
  query: SearchQuery,
  stopped: () => boolean = () => false,
): Promise<readonly FoundMessage[]> {
  const orStop = () => {
    if (stopped()) throw new Refused(failure('stopped', 'The search was stopped before its end.'))
  }
  // While a person types, the next search and the abort of this one may have arrived already.
  await turn()
  orStop()
  const hits = orThrow(await index.search(query))
  const texts = new Map<Hit, string>()
  for (const group of groupHits(hits)) {
    const source = sources.get(group[0].source)
    if (source === undefined) continue
    for (const [hit, message] of await found(source, group, stopped)) texts.set(hit, searchText(message))
    orStop()
  }
  return hits.map(({ place: _place, ...hit }, i) => {
    const text = texts.get(hits[i] as Hit)
    return { ...hit, snippet: text === undefined ? null : makeSnippet(text, query.text) }
  })
}

/** The hits in one session. */
type Group = readonly [Hit, ...Hit[]]

export async function found(
  source: SessionSource,
  group: Group,
  stopped: () => boolean,
): Promise<ReadonlyMap<Hit, Message>> {
  const { session_id: id, place } = group[0]
  const messages = new Map<Hit, Message>()
  if (source.find !== undefined) {
    const ids = group.map((hit) => hit.id)
    for (const message of await source.find({ id, place, fingerprint: '' }, ids, stopped)) {
      const hit = group.find((each) => each.id === message.id)
      if (hit !== undefined) messages.set(hit, message)
    }
    return messages
  }
  try {
    for await (const { n, message } of readMessages(source, group[0])) {
      const hit = group.find((each) => each.n === n)
      if (hit !== undefined) messages.set(hit, message)
      if (messages.size === group.length || stopped()) break
    }
  } catch (error) {
    // Hits without readable text are returned without a snippet.
    if (!(error instanceof Refused)) throw error
  }
  return messages
}

export function groupHits(hits: readonly Hit[]): readonly Group[] {
  const groups = new Map<string, [Hit, ...Hit[]]>()
  for (const hit of hits) {
    const key = `${hit.source}\n${hit.session_id}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [hit])
    else group.push(hit)
  }
  return [...groups.values()]
}

/**
 * Yields the messages of a session with the numbers of the index. It throws when the session cannot be read
 * to its end, so that a partial list is never mistaken for the whole, and reports skipped parts.
 */
export async function* readMessages(
  source: SessionSource,
  at: { readonly session_id: string; readonly place: string },
  skipped?: (part: UnreadPart) => void,
): AsyncGenerator<{ readonly n: number; readonly message: Message }> {
  const listed: Listed = { id: at.session_id, place: at.place, fingerprint: '' }
  let n = 0
  for await (const record of source.read(listed)) {
    if (record.kind === 'failed') throw new Refused(record.failure)
    if (record.kind === 'skipped') skipped?.({ place: record.place, reason: record.reason })
    if (record.kind !== 'message') continue
    yield { n, message: record.message }
    n += 1
  }
}

const BEFORE = 40
const LENGTH = 160

/** Returns the words around the first match on one line. */
export function makeSnippet(text: string, typed: string): string {
  const plain = text.normalize('NFC').replace(/\s+/g, ' ').trim()
  const lower = plain.toLowerCase()
  const places = splitWords(typed)
    .map((word) => lower.indexOf(word))
    .filter((at) => at >= 0)
  const first = places.length === 0 ? 0 : Math.min(...places)
  const start = Math.max(0, first - BEFORE)
  const from = start === 0 ? 0 : nextWord(plain, start)
  const end = Math.min(plain.length, from + LENGTH)
  return `${from > 0 ? '…' : ''}${plain.slice(from, end)}${end < plain.length ? '…' : ''}`
}

const splitWords = (typed: string): readonly string[] =>
  typed
    .normalize('NFC')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? []

/** A snippet begins at a word, if one begins nearby. */
function nextWord(text: string, at: number): number {
  const space = text.indexOf(' ', at)
  return space >= 0 && space - at < 20 ? space + 1 : at
}
