import { existsSync } from 'node:fs'
import type { SQLOutputValue } from 'node:sqlite'
import { databaseFailureOf } from '../database/failures.ts'
import { SharedDatabase } from '../database/shared-database.ts'
import type { ConversationRow, ConversationRows, MessageRow } from './rows.ts'
import { type Statements, statementsOf } from './statements.ts'
import { watchConversations } from './watch.ts'

/** What is held at a time, in characters and in rows. */
const MOST_HELD = 4_194_304
const MOST_ROWS = 1_000

type Numbered = readonly [number: bigint, doc: SQLOutputValue]

/** Conversations in the file of a ledger, which this process may be writing to. */
export function rowsInFile(file: string): ConversationRows {
  const open = () => new SharedDatabase(file, statementsOf, { isOurs: true })
  const database = open()
  return {
    place: file,
    list: (signal) => listOf(database, signal),
    head: (id) =>
      database.slice((statements) => {
        const [doc] = (statements?.session.get(id) ?? []) as unknown as readonly [SQLOutputValue?]
        if (doc === undefined) return undefined
        const replaced = (statements?.replaced.all(id) ?? []) as unknown as readonly [bigint, bigint][]
        return { doc, replaced: replaced.map(([number, at]) => ({ number: Number(number), at: Number(at) })) }
      }),
    messages: (id, after) => database.slice((statements, over) => messagesAfter(statements, over, id, after)),
    replaced: (number) =>
      database.slice((statements) => {
        const row = statements?.replacedMessage.get(BigInt(number)) as unknown as Numbered | undefined
        return row && messageRow(row)
      }),
    find: (id, ids) =>
      database.slice((statements) =>
        ids.flatMap((each) => {
          const row = statements?.message.get(each, id) as unknown as
            | readonly [SQLOutputValue, bigint]
            | undefined
          return row ? [{ doc: row[0], isReplaced: row[1] === 1n }] : []
        }),
      ),
    watch: (changed) => {
      const watched = open()
      return watchConversations(file, () => listOf(watched), changed)
    },
    failureOf: (error) => databaseFailureOf(error, file, 'Panoptes'),
  }
}

const messageRow = ([number, doc]: Numbered): MessageRow => ({ number: Number(number), doc })

async function* listOf(
  database: SharedDatabase<Statements>,
  signal?: AbortSignal,
): AsyncGenerator<readonly ConversationRow[]> {
  if (!existsSync(database.path)) return
  for (let after = '', more = true; more && !signal?.aborted; ) {
    const from = after
    const rows = await database.slice((statements, over) => {
      const rows: ConversationRow[] = []
      more = false
      for (const row of statements?.sessions.iterate(from) ?? []) {
        const [id, at, doc, newest] = row as unknown as readonly [string, bigint, string, bigint | null]
        rows.push({ id, at: Number(at), doc, newest: newest === null ? null : Number(newest) })
        more = over()
        if (more) break
      }
      return rows
    })
    after = rows.at(-1)?.id ?? after
    yield rows
  }
}

function messagesAfter(
  statements: Statements | undefined,
  over: () => boolean,
  id: string,
  after: number,
): { readonly rows: readonly MessageRow[]; readonly more: boolean } {
  const rows: MessageRow[] = []
  let held = 0
  for (const each of statements?.messages.iterate(id, BigInt(after)) ?? []) {
    const row = messageRow(each as unknown as Numbered)
    rows.push(row)
    held += typeof row.doc === 'string' ? row.doc.length : 0
    if (rows.length === MOST_ROWS || held > MOST_HELD || over()) return { rows, more: true }
  }
  return { rows, more: false }
}
