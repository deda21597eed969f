import type { Hit, SearchQuery, SessionIndex } from '@panoptes/engine/ledger'
import type { Listed, SessionSource } from '@panoptes/engine/sources'
import type { FoundMessage, Message } from '@panoptes/schema'
import { searchText } from './indexed.ts'
import { orThrow } from './refused.ts'
import { snippetOf } from './snippet.ts'

/** The index says where; what is shown of it is read from the source. */
export async function search(
  index: SessionIndex,
  sources: ReadonlyMap<string, SessionSource>,
  query: SearchQuery,
): Promise<readonly FoundMessage[]> {
  const hits = orThrow(await index.search(query))
  const texts = new Map<Hit, string>()
  for (const group of bySession(hits)) {
    const [first] = group
    const source = first && sources.get(first.source)
    if (!first || !source) continue
    for await (const { n, message } of messagesOf(source, first)) {
      const hit = group.find((each) => each.n === n)
      if (hit !== undefined) texts.set(hit, searchText(message))
      if (texts.size === hits.length || n >= Math.max(...group.map((each) => each.n))) break
    }
  }
  return hits.map(({ place: _place, ...hit }, i) => {
    const text = texts.get(hits[i] as Hit)
    return { ...hit, snippet: text === undefined ? null : snippetOf(text, query.text) }
  })
}

function bySession(hits: readonly Hit[]): readonly (readonly Hit[])[] {
  const groups = new Map<string, Hit[]>()
  for (const hit of hits) {
    const key = `${hit.source}\n${hit.session_id}`
    groups.set(key, [...(groups.get(key) ?? []), hit])
  }
  return [...groups.values()]
}

/** The messages of a session with their numbers, as the index counted them. */
export async function* messagesOf(
  source: SessionSource,
  at: { readonly session_id: string; readonly place: string },
): AsyncGenerator<{ readonly n: number; readonly message: Message }> {
  const listed: Listed = { id: at.session_id, place: at.place, fingerprint: '' }
  let n = 0
  for await (const record of source.read(listed)) {
    if (record.kind !== 'message') continue
    yield { n, message: record.message }
    n += 1
  }
}
