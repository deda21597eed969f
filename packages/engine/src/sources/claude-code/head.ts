import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { type Fields, toFields, toText, toTime } from '../fields.ts'
import { jsonLinesIn } from '../json-lines.ts'
import { rowKey } from './row-key.ts'

/** The first message row of a transcript. */
export interface Head {
  readonly uuid: string
  readonly key: string
  readonly messageAt: number
  /** True for the summary of a compaction, whose original messages are elsewhere. */
  readonly goesOn: boolean
  /** The time of its first row of any kind. A branch may begin with some rows of its own. */
  readonly writtenAt: number
  readonly bornAt: number
}

/** The beginning of a transcript. */
export interface Beginning {
  /** The first message; undefined while there is none, null when rows lack the client's kind of ids. */
  readonly head: Head | null | undefined
  /** The sessions that its first rows name as their origin. */
  readonly from: readonly string[]
  /** True when the beginning includes the first own message, so that it will not change any more. */
  readonly whole: boolean
}

/** The first message comes within this many rows. */
const MOST_ROWS = 200
/** The first rows usually fit in a small part of the file. */
const CHUNK = 4_096
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

export async function readBeginning(path: string, session: string): Promise<Beginning> {
  const from = new Set<string>()
  let writtenAt: number | null = null
  let head: Head | null | undefined
  for await (const each of jsonLinesIn(readChunks(path))) {
    if (head === undefined && each.line > MOST_ROWS) return { head: null, from: [...from], whole: true }
    if ('problem' in each) continue
    const row = each.value
    writtenAt ??= toTime(row.timestamp)
    const others = othersIn(row, session)
    for (const id of others) from.add(id)
    if (!isMessageRow(row)) continue
    if (head === undefined) head = toHead(row, writtenAt, statSync(path).birthtimeMs)
    if (others.length === 0) return { head, from: [...from], whole: true }
  }
  return { head, from: [...from], whole: false }
}

/**
 * Reads synchronously: most files need one small chunk, and asynchronous reads would take several times as
 * long for thousands of files.
 */
async function* readChunks(path: string): AsyncGenerator<Buffer> {
  const file = openSync(path, 'r')
  try {
    const buffer = Buffer.allocUnsafe(CHUNK)
    for (let size = readSync(file, buffer); size > 0; size = readSync(file, buffer))
      yield buffer.subarray(0, size)
  } finally {
    closeSync(file)
  }
}

/** Returns the session that a row names as its origin. */
export const forkedFrom = (row: Fields): string | null =>
  toText(row.forkedFrom) ?? toText(toFields(row.forkedFrom).sessionId)

function othersIn(row: Fields, session: string): readonly string[] {
  const named = [forkedFrom(row), toText(row.sessionId)]
  return named.filter((id) => id !== null).filter((id) => id !== session)
}

function toHead(row: Fields, writtenAt: number | null, bornAt: number): Head | null {
  const [uuid, key, messageAt] = [toText(row.uuid), rowKey(row), toTime(row.timestamp)]
  if (uuid === null || key === undefined || messageAt === null || !UUID.test(uuid)) return null
  const goesOn = row.isCompactSummary === true
  return { uuid, key, messageAt, goesOn, writtenAt: writtenAt ?? messageAt, bornAt }
}

const isMessageRow = ({ type }: Fields): boolean => type === 'user' || type === 'assistant'
