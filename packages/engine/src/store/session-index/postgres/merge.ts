import type { Connection, Row } from '../../postgres/database.ts'
import { MOST_MESSAGES } from '../schema.ts'
import { copyWords } from './copy-words.ts'
import { eachPlaces, type PackedPostings, type Places, type Posting, packPostings } from './postings.ts'
import type { State } from './state.ts'

/** This many segments of similar size are merged into one. The smallest segments have this many words. */
const MANY = 8
const SMALL = 8_192

/** Selects segments of a part to merge. */
export function toMerge(state: State, part: number): readonly number[] {
  const bySize = new Map<number, number[]>()
  for (const { segment, tokens } of state.parts.of(part).segments) {
    const size = Math.max(0, Math.floor(Math.log(tokens / SMALL) / Math.log(MANY)) + 1)
    const same = bySize.get(size) ?? []
    bySize.set(size, same)
    same.push(segment)
  }
  return [...bySize.values()].find((segments) => segments.length >= MANY) ?? []
}

/** Merges segments into one, without the words of deleted messages. */
export async function merge(
  connection: Connection,
  state: State,
  part: number,
  segments: readonly number[],
): Promise<void> {
  const { rows, run } = connection
  const own = state.parts.of(part)
  const found = await rows(
    'SELECT word, messages, places FROM index_words WHERE part = $1 AND segment = ANY($2) ORDER BY word',
    [part, segments],
  )
  await run('DELETE FROM index_words WHERE part = $1 AND segment = ANY($2)', [part, segments])
  await run('DELETE FROM index_segments WHERE part = $1 AND segment = ANY($2)', [part, segments])
  const segment = own.nextSegment
  const isThere = (message: number) => state.live.has(Math.floor(message / MOST_MESSAGES))
  await copyWords(connection, part, segment, mergedWords(found, isThere))
  const tokens = own.segments
    .filter((each) => segments.includes(each.segment))
    .reduce((sum, each) => sum + each.tokens, 0)
  await run('INSERT INTO index_segments VALUES ($1, $2, $3)', [part, segment, tokens])
  state.parts.recordMerge(part, segments, { segment, tokens })
}

function* mergedWords(
  rows: readonly Row[],
  isThere: (message: number) => boolean,
): Iterable<readonly [word: string, PackedPostings]> {
  for (let at = 0; at < rows.length; ) {
    const word = String(rows[at]?.word)
    const postings: { readonly of: Posting; readonly places: Places }[] = []
    for (; at < rows.length && rows[at]?.word === word; at += 1)
      eachPlaces(rows[at]?.messages as Buffer, rows[at]?.places as Buffer, isThere, (of, places) =>
        postings.push({ of, places }),
      )
    if (postings.length > 0) yield [word, packPostings(postings.sort((a, b) => a.of.message - b.of.message))]
  }
}
