import type { Connection } from '../../postgres/database.ts'
import { nameOf } from '../changes.ts'
import { PostgresParts } from './parts.ts'

/** A session that is kept, whole or begun. */
export interface Kept {
  readonly number: number
  readonly part: number
  /** Messages that words are kept of. */
  worded: number
}

interface Named {
  begun?: Kept | undefined
  known?: Kept | undefined
}

/** What is in the index, as whoever writes it remembers. */
export interface State {
  turn: number
  /** The last number that was given. */
  last: number
  readonly named: Map<string, Named>
  /** The numbers of all of them. */
  readonly live: Set<number>
  readonly parts: PostgresParts
}

export async function stateIn({ row, rows }: Connection, messagesAPart?: number): Promise<State> {
  const about = await row('SELECT turn, last FROM index_about')
  const parts = new PostgresParts(
    await rows('SELECT number, newest, rising, torn, rows, tokens FROM index_parts'),
    await rows('SELECT part, segment, tokens FROM index_segments ORDER BY part, segment'),
    messagesAPart,
  )
  const named = new Map<string, Named>()
  const live = new Set<number>()
  for (const each of await rows(
    'SELECT number, source, id, part, worded, fingerprint IS NULL AS begun FROM index_sessions',
  )) {
    const kept = { number: Number(each.number), part: Number(each.part), worded: Number(each.worded) }
    const name = nameOf(String(each.source), String(each.id))
    const own = named.get(name) ?? {}
    named.set(name, own)
    own[each.begun === true ? 'begun' : 'known'] = kept
    live.add(kept.number)
    parts.found(kept.part, kept.worded)
  }
  return { turn: Number(about?.turn), last: Number(about?.last), named, live, parts }
}
