import type { SQLOutputValue } from 'node:sqlite'
import { databaseFailureOf } from '../database/failures.ts'
import type { SharedDatabase } from '../database/shared-database.ts'
import { columnText } from '../database/text.ts'
import type { CountedPart, CountedRow, CountedSession } from './history.ts'
import type { HistoryStatements } from './history-statements.ts'
import { OWNER } from './state-database.ts'

const BEFORE_ALL = -(2n ** 63n)
const ROWS_AT_ONCE = 100
/** Characters: what is read in one go and stays until it was counted is copied by the collector, so it is little. */
const MOST_HELD = 65_536
/** A longer text would have to stand in memory as a whole. */
const MOST_TEXT = 33_554_432

/** Many sessions in one read: to begin one costs more than the rows of most sessions. */
export async function* countedRows(
  database: SharedDatabase<HistoryStatements>,
  sessions: readonly CountedSession[],
  signal?: AbortSignal,
): AsyncGenerator<readonly CountedPart[]> {
  for (let from: Place = { at: 0, after: BEFORE_ALL }; from.at < sessions.length && !signal?.aborted; ) {
    const begin = from
    const { parts, next } = await database.slice((statements, over) => {
      const parts: CountedPart[] = []
      let next = begin
      for (let held = 0; next.at < sessions.length && held <= MOST_HELD; ) {
        const part = partOf(statements, sessions, next, database.path)
        parts.push(part)
        for (const row of part.rows) held += lengthOf(row[2]) + lengthOf(row[5])
        next = part.ended
          ? { at: next.at + 1, after: BEFORE_ALL }
          : { at: next.at, after: part.rows.at(-1)?.[0] ?? next.after }
        if (over()) break
      }
      return { parts, next }
    })
    from = next
    yield parts
  }
}

interface Place {
  readonly at: number
  readonly after: bigint
}

function partOf(
  statements: HistoryStatements | undefined,
  sessions: readonly CountedSession[],
  { at, after }: Place,
  path: string,
): CountedPart {
  const nothing = { at, rows: [], repeats: false, ended: true, preview: null, failed: undefined }
  const session = sessions[at]
  if (statements === undefined || session === undefined) return nothing
  try {
    const rows = statements.messages.all(session.id, after, ROWS_AT_ONCE) as unknown as MutableRow[]
    for (const row of rows) if (isLength(row[2]) || isLength(row[5])) readLong(statements, row)
    const ended = rows.length < ROWS_AT_ONCE
    const repeats = statements.repeats === undefined || statements.repeats.get(session.id) !== undefined
    const preview = ended && session.title === null ? previewOf(statements.preview.get(session.id)) : null
    return { at, rows, repeats, ended, preview, failed: undefined }
  } catch (error) {
    const failed = databaseFailureOf(error, path, OWNER)
    // One page may be damaged and the others whole; anything else is of the whole file.
    if (failed.code !== 'corrupt') throw error
    return { ...nothing, failed }
  }
}

type MutableRow = { -readonly [K in keyof CountedRow]: CountedRow[K] }

const isLength = (value: SQLOutputValue): value is bigint => typeof value === 'bigint'

/** What is too long stays a number. */
function readLong({ texts }: HistoryStatements, row: MutableRow): void {
  const fits = (value: SQLOutputValue) => !isLength(value) || value <= MOST_TEXT
  if (!fits(row[2]) || !fits(row[5])) return
  const found = texts.get(row[0]) as unknown as readonly [SQLOutputValue, SQLOutputValue] | undefined
  row[2] = found?.[0] ?? null
  row[5] = found?.[1] ?? null
}

const lengthOf = (value: SQLOutputValue): number => (typeof value === 'string' ? value.length : 0)

const SHOWN = 60

/** One line, cut as Hermes cuts it. */
function previewOf(row: unknown): string | null {
  const [said] = (row ?? []) as readonly SQLOutputValue[]
  const text =
    columnText(said)
      ?.replaceAll(/[\r\n]/g, ' ')
      .trim() ?? ''
  if (text === '') return null
  const points = Array.from(text)
  return points.length > SHOWN ? `${points.slice(0, SHOWN).join('')}...` : text
}
