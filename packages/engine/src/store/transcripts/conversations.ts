import type { Failure } from '@panoptes/schema'
import { isVisibleTo } from '@panoptes/schema/reading'
import type { Database } from '../postgres/database.ts'
import { toFailure } from '../postgres/failures.ts'
import { listen } from './channel-listener.ts'
import { openOnDemand, placeLabel, type TranscriptPlace } from './place.ts'
import { transcriptChannel } from './tables.ts'

/** A longer text is skipped and replaced by its length, because it would have to be in memory as a whole. */
const MOST_TEXT = 33_554_432
const DOC = `CASE WHEN octet_length(doc) <= ${MOST_TEXT} THEN doc END AS doc, octet_length(doc) AS size`
const MOST_CONNECTIONS = 2
const MOST_LISTED = 1_000
const MOST_ROWS = 1_000
/** The limit counts bytes. A single message may be larger. */
const MOST_HELD = 4_194_304

/** Returns the conversations of a store that everybody may see, as rows for readers of sessions. */
export function conversationRowsIn(place: TranscriptPlace) {
  const database = openOnDemand(place, MOST_CONNECTIONS)
  const { row, rows } = database
  return {
    place: `hub:${place.schema}`,
    list: (signal?: AbortSignal) => listConversations(database, signal),
    head: async (id: string) => {
      const found = await row('SELECT doc FROM conversations WHERE id = $1', [id])
      if (found === undefined || !isShown(String(found.doc))) return undefined
      const replaced = await rows(
        'SELECT number, at FROM chat_replaced WHERE conversation = $1 ORDER BY at, number',
        [id],
      )
      return {
        doc: String(found.doc),
        replaced: replaced.map(({ number, at }) => ({ number: Number(number), at: Number(at) })),
      }
    },
    messages: async (id: string, after: number) => {
      const found = await rows(
        `SELECT number, ${DOC} FROM (
           SELECT number, doc, sum(octet_length(doc)) OVER (ORDER BY number) - octet_length(doc) AS held FROM (
             SELECT number, doc FROM chat_messages WHERE conversation = $1 AND number > $2
             ORDER BY number LIMIT ${MOST_ROWS}
           ) AS page
         ) AS next WHERE held < ${MOST_HELD} ORDER BY number`,
        [id, after],
      )
      return { rows: found.map(messageRow), more: found.length > 0 }
    },
    replaced: async (number: number) => {
      const found = await row(`SELECT number, ${DOC} FROM chat_replaced WHERE number = $1`, [number])
      return found && messageRow(found)
    },
    find: async (id: string, ids: readonly string[]) => {
      const head = await row('SELECT doc FROM conversations WHERE id = $1', [id])
      if (head === undefined || !isShown(String(head.doc))) return []
      const found = await rows(
        `SELECT id, ${DOC}, false AS replaced FROM chat_messages WHERE conversation = $1 AND id = ANY($2)
         UNION ALL
         SELECT id, ${DOC}, true FROM chat_replaced WHERE conversation = $1 AND id = ANY($2)`,
        [id, ids],
      )
      const byId = new Map(found.map((each) => [String(each.id), each]))
      return ids.flatMap((each) => {
        const one = byId.get(each)
        return one ? [{ doc: toDoc(one), isReplaced: one.replaced === true }] : []
      })
    },
    watch: (changed: () => void): (() => void) =>
      listen(place.url, transcriptChannel(place.schema), (source) => {
        if (source === undefined || source === 'panoptes') changed()
      }),
    toFailure: (error: unknown): Failure => toFailure(error, placeLabel(place)),
  }
}

async function* listConversations({ rows }: Database, signal?: AbortSignal) {
  for (let after: string | undefined = ''; after !== undefined && !signal?.aborted; ) {
    const found = await rows(
      `SELECT id, updated_at, doc, (SELECT max(number) FROM chat_messages WHERE conversation = c.id) AS newest
       FROM conversations AS c WHERE id > $1 ORDER BY id LIMIT ${MOST_LISTED}`,
      [after],
    )
    yield found
      .map(({ id, updated_at, doc, newest }) => ({
        id: String(id),
        at: Number(updated_at),
        doc: String(doc),
        newest: newest === null ? null : Number(newest),
      }))
      .filter(({ doc }) => isShown(doc))
    after = found.length < MOST_LISTED ? undefined : String(found.at(-1)?.id)
  }
}

/** A person's own conversations are hidden from others unless they were shared. */
const isShown = (doc: string): boolean => isVisibleTo(JSON.parse(doc), null)

interface StoredDoc {
  readonly doc?: unknown
  readonly size?: unknown
  readonly number?: unknown
}

const toDoc = ({ doc, size }: StoredDoc): string | bigint =>
  doc === null ? BigInt(Number(size)) : String(doc)

const messageRow = (row: StoredDoc) => ({ number: Number(row.number), doc: toDoc(row) })
