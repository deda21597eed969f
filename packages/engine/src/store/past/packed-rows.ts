import { constants, deflateRawSync, inflateRawSync } from 'node:zlib'

/**
 * A row as its table stores it. It stays text until somebody reads its content, because few of very many rows
 * change.
 */
export interface PackedRow {
  readonly group: string
  readonly key: string
  readonly tag: string
  readonly order: number
  readonly doc: string
}

const FIELDS = 4

/**
 * Rows are packed in chunks of about this many characters, so that the text of very many rows is never in
 * memory at once.
 */
const PART = 1_048_576

/**
 * Writes four lines per row: its group, its key, its tag and order, and its document. JSON text contains no
 * line breaks.
 */
export function packRows(rows: Iterable<PackedRow>): Uint8Array {
  const parts: Uint8Array[] = []
  let lines: string[] = []
  let length = 0
  let isFirst = true
  for (const { group, key, tag, order, doc } of rows) {
    const row = `${isFirst ? '' : '\n'}${encodeLine(group)}\n${encodeLine(key)}\n${tag} ${order}\n${doc}`
    isFirst = false
    lines.push(row)
    length += row.length
    if (length < PART) continue
    // The chunk is flushed but not ended, so that the next chunk continues the same stream.
    parts.push(deflateRawSync(lines.join(''), { level: 1, finishFlush: constants.Z_SYNC_FLUSH }))
    lines = []
    length = 0
  }
  const last = deflateRawSync(lines.join(''), { level: 1 })
  return parts.length === 0 ? last : Buffer.concat([...parts, last])
}

export function unpackRows(packed: Uint8Array): PackedRow[] {
  const text = inflateRawSync(packed).toString()
  if (text === '') return []
  const lines = text.split('\n')
  const rows: PackedRow[] = []
  for (let at = 0; at < lines.length; at += FIELDS) {
    const [group = '', key = '', place = '', doc = ''] = lines.slice(at, at + FIELDS)
    const space = place.indexOf(' ')
    rows.push({
      group: decodeLine(group),
      key: decodeLine(key),
      tag: place.slice(0, space),
      order: Number(place.slice(space)),
      doc,
    })
  }
  return rows
}

/** Names come from agents and may contain any character. */
const encodeLine = (name: string): string =>
  name.includes('\n') || name.startsWith('"') ? JSON.stringify(name) : name

const decodeLine = (line: string): string => (line.startsWith('"') ? (JSON.parse(line) as string) : line)
