import { setImmediate as turn } from 'node:timers/promises'
import type { Hit, SearchQuery, SessionIndex } from '@panoptes/engine/ledger'
import type { Listed, SessionSource } from '@panoptes/engine/sources'
import { orThrow, Refused } from '@panoptes/engine/threads'
import type { FoundMessage, Message, UnreadPart } from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'
import { searchText } from './indexed.ts'
import { snippetOf } from './snippet.ts'

/** The index says where; what is shown of it is read from the source, as long as somebody waits for it. */
export async function search(
  index: SessionIndex,
  sources: ReadonlyMap<string, SessionSource>,
  query: SearchQuery,
  stopped: () => boolean = () => false,
): Promise<readonly FoundMessage[]> {
  const orStop = () => {
    if (stopped()) throw new Refused(failure('stopped', 'The search was stopped before its end.'))
  }
  // While one is typing, the next search may be there already, and with it the word that this one is not wanted.
  await turn()
  orStop()
  const hits = orThrow(await index.search(query))
  const texts = new Map<Hit, string>()
  for (const group of groupsOf(hits)) {
    const source = sources.get(group[0].source)
    if (source === undefined) continue
    for (const [hit, message] of await found(source, group, stopped)) texts.set(hit, searchText(message))
    orStop()
  }
  return hits.map(({ place: _place, ...hit }, i) => {
    const text = texts.get(hits[i] as Hit)
    return { ...hit, snippet: text === undefined ? null : snippetOf(text, query.text) }
  })
}

/** What was found in one session. */
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
    for await (const { n, message } of messagesOf(source, group[0])) {
      const hit = group.find((each) => each.n === n)
      if (hit !== undefined) messages.set(hit, message)
      if (messages.size === group.length || stopped()) break
    }
  } catch (error) {
    // What was found is told without the words around it.
    if (!(error instanceof Refused)) throw error
  }
  return messages
}

export function groupsOf(hits: readonly Hit[]): readonly Group[] {
  const groups = new Map<string, [Hit, ...Hit[]]>()
  for (const hit of hits) {
    const key = `${hit.source}\n${hit.session_id}`
    const known = groups.get(key)
    if (known === undefined) groups.set(key, [hit])
    else known.push(hit)
  }
  return [...groups.values()]
}

/**
 * The messages of a session with their numbers, as the index counted them. One that cannot be read to its end is refused, so that its
 * messages are never taken for all there are; what is passed over is told.
 */
export async function* messagesOf(
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
