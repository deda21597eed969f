import { setImmediate as turn } from 'node:timers/promises'
import { type Listed, readArchive, redactedMessage, type SessionSource } from '@panoptes/engine/sources'
import type { Hit, SearchQuery, SessionArchive, SessionIndex } from '@panoptes/engine/store'
import { orThrow, Refused } from '@panoptes/engine/worker-rpc'
import type { FoundMessage, Message, SessionRef, UnreadPart } from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'
import { searchText } from './index-message.ts'

/** The index finds the messages; their text is read from the archive, or from the source as long as the caller waits. */
export async function search(
  from: Texts,
  query: SearchQuery,
  stopped: () => boolean = () => false,
): Promise<readonly FoundMessage[]> {
  const orStop = () => {
    if (stopped()) throw new Refused(failure('stopped', 'The search was stopped before it finished.'))
  }
  // While a person types, the next search and the abort of this one may have arrived already.
  await turn()
  orStop()
  const hits = orThrow(await from.index.search(query))
  const texts = new Map<Hit, string>()
  for (const group of groupHits(hits)) {
    for (const [hit, message] of await found(from, group, stopped)) texts.set(hit, searchText(message))
    orStop()
  }
  return hits.map(({ place: _place, ...hit }, i) => {
    const text = texts.get(hits[i] as Hit)
    return { ...hit, snippet: text === undefined ? null : makeSnippet(text, query.text) }
  })
}

/** The hits in one session. */
type Group = readonly [Hit, ...Hit[]]

/** Where messages are read from: from the archive, or from its source where the archive does not keep a session. */
export interface Texts {
  readonly index: SessionIndex
  readonly sources: ReadonlyMap<string, SessionSource>
}

export async function found(
  texts: Texts,
  group: Group,
  stopped: () => boolean,
): Promise<ReadonlyMap<Hit, Message>> {
  const { source: name, session_id: id, place } = group[0]
  const messages = new Map<Hit, Message>()
  const source = texts.sources.get(name)
  try {
    const archive = await archiveWith(texts.index, name, id)
    if (archive !== undefined) {
      for (const hit of group) {
        if (stopped()) break
        for (const record of orThrow(await archive.read(name, id, hit.n))?.records ?? [])
          if ('message' in record && record.n === hit.n) messages.set(hit, record.message)
      }
    } else if (source?.find !== undefined) {
      const ids = group.map((hit) => hit.id)
      for (const message of await source.find({ id, place, fingerprint: '' }, ids, stopped)) {
        const hit = group.find((each) => each.id === message.id)
        if (hit !== undefined) messages.set(hit, redactedMessage(message))
      }
    } else
      for await (const { n, message } of readMessages(texts, { source: name, id, place })) {
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

/** Returns the archive if it keeps the version of this session that the index has. */
async function archiveWith(
  { archive }: SessionIndex,
  source: string,
  id: string,
): Promise<SessionArchive | undefined> {
  const kept = archive === undefined ? undefined : orThrow(await archive.get(source, id))
  return kept?.current ? archive : undefined
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

export interface ReadOptions {
  /** The position of the first message. */
  readonly from?: number
  /** Reads the source if it still has the session, because the archive may not have its newest messages yet. */
  readonly isTail?: boolean
  readonly skipped?: (part: UnreadPart) => void
}

/**
 * Yields the messages of a session without secrets and with the numbers of the index. It throws when the session cannot be read
 * to its end, so that a partial list is never mistaken for the whole, and reports skipped parts.
 */
export async function* readMessages(
  { index, sources }: Texts,
  at: SessionRef & { readonly place: string },
  { from = 0, isTail = false, skipped }: ReadOptions = {},
): AsyncGenerator<{ readonly n: number; readonly message: Message }> {
  const archive = isTail ? undefined : await archiveWith(index, at.source, at.id)
  if (archive !== undefined) {
    for await (const record of readArchive(archive, at.source, at.id, from))
      if ('skipped' in record) skipped?.(record.skipped)
      else yield record
    return
  }
  const source = sources.get(at.source)
  if (source === undefined) throw new Refused(failure('not_found', `Unknown source: ${at.source}.`))
  const listed: Listed = { id: at.id, place: at.place, fingerprint: '' }
  let n = 0
  for await (const record of source.read(listed)) {
    if (record.kind === 'failed') throw new Refused(record.failure)
    // Parts skipped before a later page belong to the page before it.
    if (record.kind === 'skipped' && (n > from || from === 0))
      skipped?.({ place: record.place, reason: record.reason })
    if (record.kind !== 'message') continue
    if (n >= from) yield { n, message: redactedMessage(record.message) }
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
