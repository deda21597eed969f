import { stat } from 'node:fs/promises'
import { type Fields, textOf, timeOf } from '../fields.ts'
import { jsonLines } from '../json-lines.ts'
import { rowKey } from './row-key.ts'

/** How a transcript begins. */
export interface Head {
  readonly uuid: string
  /** Of the first row that was said. */
  readonly key: string
  readonly saidAt: number
  /** That row is a compaction's summary: what it sums up is elsewhere. */
  readonly goesOn: boolean
  /** When its first row of any kind was written: a branch may begin with some of its own. */
  readonly writtenAt: number
  readonly bornAt: number
}

/** The first word comes within so many rows. */
const MOST_ROWS = 200
/** A small part of the file has them, as a rule. */
const CHUNK = 16_384
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Nothing while nothing was said; null where rows are not named as the client names them. */
export async function readHead(path: string): Promise<Head | null | undefined> {
  let writtenAt: number | null = null
  for await (const each of jsonLines(path, undefined, CHUNK)) {
    if (each.line > MOST_ROWS) return null
    if ('problem' in each) continue
    const row = each.value
    const saidAt = timeOf(row.timestamp)
    writtenAt ??= saidAt
    if (!isSaid(row)) continue
    const [uuid, key] = [textOf(row.uuid), rowKey(row)]
    if (uuid === null || key === undefined || saidAt === null || !UUID.test(uuid)) return null
    const { birthtimeMs: bornAt } = await stat(path)
    return {
      uuid,
      key,
      saidAt,
      goesOn: row.isCompactSummary === true,
      writtenAt: writtenAt ?? saidAt,
      bornAt,
    }
  }
  return undefined
}

const isSaid = ({ type }: Fields): boolean => type === 'user' || type === 'assistant'
