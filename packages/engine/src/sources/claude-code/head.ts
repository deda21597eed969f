import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { type Fields, fieldsOf, textOf, timeOf } from '../fields.ts'
import { jsonLinesIn } from '../json-lines.ts'
import { rowKey } from './row-key.ts'

/** The first row of a transcript that was said. */
export interface Head {
  readonly uuid: string
  readonly key: string
  readonly saidAt: number
  /** That row is a compaction's summary: what it sums up is elsewhere. */
  readonly goesOn: boolean
  /** When its first row of any kind was written: a branch may begin with some of its own. */
  readonly writtenAt: number
  readonly bornAt: number
}

/** How a transcript begins. */
export interface Beginning {
  /** Nothing while nothing was said; null where rows are not named as the client names them. */
  readonly head: Head | null | undefined
  /** The sessions that its first rows say they are from. */
  readonly from: readonly string[]
  /** Whether it goes as far as the first own word: then it does not change any more. */
  readonly whole: boolean
}

/** The first word comes within so many rows. */
const MOST_ROWS = 200
/** A small part of the file has them, as a rule. */
const CHUNK = 16_384
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

export async function readBeginning(path: string, session: string): Promise<Beginning> {
  const from = new Set<string>()
  let writtenAt: number | null = null
  let head: Head | null | undefined
  for await (const each of jsonLinesIn(chunksOf(path))) {
    if (head === undefined && each.line > MOST_ROWS) return { head: null, from: [...from], whole: true }
    if ('problem' in each) continue
    const row = each.value
    writtenAt ??= timeOf(row.timestamp)
    const others = othersIn(row, session)
    for (const id of others) from.add(id)
    if (!isSaid(row)) continue
    if (head === undefined) head = headOf(row, writtenAt, statSync(path).birthtimeMs)
    if (others.length === 0) return { head, from: [...from], whole: true }
  }
  return { head, from: [...from], whole: false }
}

/** Read at once: most files need one small piece, and to wait for each would take several times as long where there are thousands. */
async function* chunksOf(path: string): AsyncGenerator<Buffer> {
  const file = openSync(path, 'r')
  try {
    const buffer = Buffer.allocUnsafe(CHUNK)
    for (let size = readSync(file, buffer); size > 0; size = readSync(file, buffer))
      yield buffer.subarray(0, size)
  } finally {
    closeSync(file)
  }
}

/** The session that a row was copied from, by its own word. */
export const forkedFrom = (row: Fields): string | null =>
  textOf(row.forkedFrom) ?? textOf(fieldsOf(row.forkedFrom).sessionId)

function othersIn(row: Fields, session: string): readonly string[] {
  const named = [forkedFrom(row), textOf(row.sessionId)]
  return named.filter((id) => id !== null).filter((id) => id !== session)
}

function headOf(row: Fields, writtenAt: number | null, bornAt: number): Head | null {
  const [uuid, key, saidAt] = [textOf(row.uuid), rowKey(row), timeOf(row.timestamp)]
  if (uuid === null || key === undefined || saidAt === null || !UUID.test(uuid)) return null
  const goesOn = row.isCompactSummary === true
  return { uuid, key, saidAt, goesOn, writtenAt: writtenAt ?? saidAt, bornAt }
}

const isSaid = ({ type }: Fields): boolean => type === 'user' || type === 'assistant'
