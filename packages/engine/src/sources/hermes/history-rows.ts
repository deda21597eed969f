import type { SQLOutputValue } from 'node:sqlite'
import { redactBeginning } from '@panoptes/engine/redact'
import { toDatabaseFailure } from '../database/failures.ts'
import type { SharedDatabase } from '../database/shared-database.ts'
import { columnText } from '../database/text.ts'
import type { CountedPart, CountedRow, CountedSession } from './history.ts'
import type { HistoryStatements } from './history-statements.ts'
import { OWNER } from './state-database.ts'

const BEFORE_ALL = -(2n ** 63n)
const ROWS_AT_ONCE = 100
/**
 * The characters read before they are counted. Alternating more often is slower, and a larger limit would
 * hold more in memory.
 */
const MOST_HELD = 1_048_576
/** A longer text would have to be in memory as a whole. */
const MOST_TEXT = 33_554_432

/** Reads many sessions in one transaction, because starting one costs more than the rows of most sessions. */
export async function* countedRows(
  database: SharedDatabase<HistoryStatements>,
  sessions: readonly CountedSession[],
  signal?: AbortSignal,
): AsyncGenerator<readonly CountedPart[]> {
  for (let from = startPlace(0); from.at < sessions.length && !signal?.aborted; ) {
    const begin = from
    const { parts, next } = await database.slice((statements, over) => {
      const parts: CountedPart[] = []
      let next = begin
      for (let held = 0; next.at < sessions.length && held <= MOST_HELD; ) {
        const read = readPart(statements, sessions, next, database.path)
        parts.push(read.part)
        for (const row of read.part.rows) held += textLength(row[2]) + textLength(row[5])
        next = read.next
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
  /** The time of the previous row, as long as times only increase. */
  readonly time: number
  /** Whether rows may be copies of one another, if that was checked. */
  readonly repeats: boolean | undefined
}

const startPlace = (at: number, repeats?: boolean): Place => ({
  at,
  after: BEFORE_ALL,
  time: Number.NEGATIVE_INFINITY,
  repeats,
})

function readPart(
  statements: HistoryStatements | undefined,
  sessions: readonly CountedSession[],
  place: Place,
  path: string,
): { readonly part: CountedPart; readonly next: Place } {
  const { at, after } = place
  const nothing = {
    at,
    rows: [],
    repeats: false,
    ended: true,
    again: false,
    preview: null,
    failed: undefined,
  }
  const end = startPlace(at + 1)
  const session = sessions[at]
  if (statements === undefined || session === undefined) return { part: nothing, next: end }
  try {
    // Only potential copies are distinguished by the call they answer.
    const callIds = place.repeats ? 1 : 0
    const rows = statements.messages.all(session.id, after, ROWS_AT_ONCE, callIds) as unknown as MutableRow[]
    const repeats =
      place.repeats ?? (timesRise(rows, place.time) ? undefined : mayRepeat(statements, session.id))
    if (repeats && !place.repeats)
      return { part: { ...nothing, ended: false, again: true }, next: startPlace(at, true) }
    for (const row of rows) if (isLength(row[2]) || isLength(row[5])) readLong(statements, row)
    const ended = rows.length < ROWS_AT_ONCE
    const preview = ended && session.title === null ? formatPreview(statements.preview.get(session.id)) : null
    const last = rows.at(-1)
    return {
      part: { ...nothing, rows, repeats: repeats === true, ended, preview },
      next: ended ? end : { at, after: last?.[0] ?? after, time: toTime(last?.[3]), repeats },
    }
  } catch (error) {
    const failed = toDatabaseFailure(error, path, OWNER)
    // Corruption may affect one page only; any other error affects the whole file.
    if (failed.code !== 'corrupt') throw error
    return { part: { ...nothing, failed }, next: end }
  }
}

/**
 * Copies of a row have the same time. When times strictly increase there are none, so most sessions need no
 * check.
 */
function timesRise(rows: readonly CountedRow[], before: number): boolean {
  let time = before
  for (const row of rows) {
    const now = toTime(row[3])
    if (!(now > time)) return false
    time = now
  }
  return true
}

const toTime = (value: SQLOutputValue | undefined): number => (typeof value === 'number' ? value : Number.NaN)

const mayRepeat = ({ repeats }: HistoryStatements, id: string): boolean =>
  repeats === undefined || repeats.get(id) !== undefined

type MutableRow = { -readonly [K in keyof CountedRow]: CountedRow[K] }

const isLength = (value: SQLOutputValue): value is bigint => typeof value === 'bigint'

/** A text that is too long stays a number. */
function readLong({ texts }: HistoryStatements, row: MutableRow): void {
  const fits = (value: SQLOutputValue) => !isLength(value) || value <= MOST_TEXT
  if (!fits(row[2]) || !fits(row[5])) return
  const found = texts.get(row[0]) as unknown as readonly [SQLOutputValue, SQLOutputValue] | undefined
  row[2] = found?.[0] ?? null
  row[5] = found?.[1] ?? null
}

const textLength = (value: SQLOutputValue): number => (typeof value === 'string' ? value.length : 0)

const SHOWN = 60
/** Hermes reads this much before it joins lines and trims. */
const READ = 63

/** Formats a single line without secrets and truncates it as Hermes does. */
function formatPreview(row: unknown): string | null {
  const [content] = (row ?? []) as readonly SQLOutputValue[]
  const whole = columnText(content) ?? ''
  const text = Array.from(redactBeginning(whole, whole.length).text)
    .slice(0, READ)
    .join('')
    .replaceAll(/[\r\n]/g, ' ')
    .trim()
  if (text === '') return null
  const points = Array.from(text)
  return points.length > SHOWN ? `${points.slice(0, SHOWN).join('')}...` : text
}
