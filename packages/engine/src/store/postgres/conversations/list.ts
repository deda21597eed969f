import type { ConversationHead } from '@panoptes/schema'
import { parseHead, type StoredRow } from '../../conversations/row-parsing.ts'
import { BECOME_ASCII, SEARCH_MS, Search } from '../../conversations/search.ts'
import type { ConversationQuery, ListedConversation, ListedConversations } from '../../conversations-port.ts'
import type { Connection, Value } from '../database.ts'
import { whole } from '../event-reader.ts'

export async function list(connection: Connection, query: ConversationQuery): Promise<ListedConversations> {
  const { text, limit, searchMs = SEARCH_MS } = query
  const span = buildSpan(query)
  if (text !== undefined) return find(connection, new Search(text), { span, limit, searchMs })
  const total = await connection.row(`SELECT count(*) AS count FROM conversations c ${span.sql}`, span.values)
  const rows = await connection.rows(`${heads(span)} LIMIT $${span.values.length + 1}`, [
    ...span.values,
    limit,
  ])
  return { total: Number(total?.count), rows: rows.map((row) => ({ ...countedHead(row), found: null })) }
}

interface Span {
  readonly sql: string
  readonly values: readonly Value[]
}

function buildSpan({ before, beforeId, visibleTo }: ConversationQuery): Span {
  const values: Value[] = []
  const of = (value: Value): string => `$${values.push(value)}`
  const parts: string[] = []
  if (visibleTo !== undefined)
    parts.push(`(c.owner IS NULL OR c.shared${visibleTo === null ? '' : ` OR c.owner = ${of(visibleTo)}`})`)
  if (before !== undefined) {
    const at = of(whole(before))
    const behind = beforeId === undefined ? '' : ` OR (c.updated_at = ${at} AND c.id > ${of(beforeId)})`
    parts.push(`(c.updated_at < ${at}${behind})`)
  }
  return { sql: parts.length === 0 ? '' : `WHERE ${parts.join(' AND ')}`, values }
}

const heads = ({ sql }: Span): string =>
  `SELECT c.doc, (SELECT count(*) FROM chat_messages m WHERE m.conversation = c.id) AS count
   FROM conversations c ${sql} ORDER BY c.updated_at DESC, c.id`

const countedHead = (row: StoredRow): ConversationHead => ({
  ...parseHead(row),
  messages_count: Number(row.count),
})

interface Finding {
  readonly span: Span
  readonly limit: number
  readonly searchMs: number
}

/** One query searches this many conversations. */
const TOGETHER = 20

async function find(connection: Connection, search: Search, { span, limit, searchMs }: Finding) {
  const until = performance.now() + searchMs
  const all = (await connection.rows(heads(span), span.values)).map(countedHead)
  const found = new Map<string, ListedConversation['found']>()
  for (const { id, title } of all) if (search.isInTitle(title)) found.set(id, null)
  const others = all.filter(({ id, messages_count: count }) => !found.has(id) && count > 0)
  let isCut = false
  for (let at = 0; at < others.length && !isCut; at += TOGETHER) {
    const ids = others.slice(at, at + TOGETHER).map(({ id }) => id)
    isCut = !(await findInMessages(connection, search, ids, {
      found,
      hasTime: () => performance.now() < until,
    }))
  }
  const rows = all.flatMap((head) => {
    const where = found.get(head.id)
    return where === undefined ? [] : [{ ...head, found: where }]
  })
  return { total: rows.length, rows: rows.slice(0, limit), ...(isCut && { is_cut: true }) }
}

/** This many messages of one conversation are read at a time. */
const SLICE = 20

/** The newest messages of each conversation that may match, after the last number that was examined. */
const CANDIDATES = `
  SELECT c.id AS conversation, m.number, m.doc
  FROM unnest($1::text[], $2::bigint[]) AS c (id, seen),
    LATERAL (
      SELECT number, doc FROM chat_messages
      WHERE conversation = c.id AND (c.seen IS NULL OR number < c.seen)
        AND (strpos(lower(doc COLLATE "C"), $3) > 0 OR strpos(doc, $4) > 0 OR strpos(doc, $5) > 0)
      ORDER BY number DESC LIMIT ${SLICE}
    ) AS m
  ORDER BY m.number DESC`

interface Finds {
  readonly found: Map<string, ListedConversation['found']>
  readonly hasTime: () => boolean
}

/** Returns false when there was no time to search all messages. */
async function findInMessages(
  connection: Connection,
  search: Search,
  ids: readonly string[],
  { found, hasTime }: Finds,
): Promise<boolean> {
  let open = new Map<string, number | null>(ids.map((id) => [id, null]))
  while (open.size > 0) {
    if (!hasTime()) return false
    const rows = await connection.rows(CANDIDATES, [
      [...open.keys()],
      [...open.values()],
      search.part,
      ...BECOME_ASCII,
    ])
    const next = new Map<string, number | null>()
    for (const [id, own] of Map.groupBy(rows, ({ conversation }) => String(conversation))) {
      const where = own.map((row) => search.findIn(row)).find((each) => each !== undefined)
      if (where !== undefined) found.set(id, where)
      else if (own.length === SLICE) next.set(id, Number(own.at(-1)?.number))
    }
    open = next
  }
  return true
}
