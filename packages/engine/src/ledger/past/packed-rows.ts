import { constants, deflateRawSync, inflateRawSync } from 'node:zlib'

/** A row as its table has it. It stays text until somebody needs to look into it: of very many rows few change. */
export interface PackedRow {
  readonly group: string
  readonly key: string
  readonly tag: string
  readonly order: number
  readonly doc: string
}

const FIELDS = 4

/** Rows are packed in parts of about so many characters: of very many rows there is never all of their text in memory. */
const PART = 1_048_576

/** Four lines a row: its group, its key, its tag and order, its document. JSON has no line ends of its own. */
export function packRows(rows: Iterable<PackedRow>): Uint8Array {
  const parts: Uint8Array[] = []
  let lines: string[] = []
  let length = 0
  let isFirst = true
  for (const { group, key, tag, order, doc } of rows) {
    const row = `${isFirst ? '' : '\n'}${inOneLine(group)}\n${inOneLine(key)}\n${tag} ${order}\n${doc}`
    isFirst = false
    lines.push(row)
    length += row.length
    if (length < PART) continue
    // Flushed and not ended, so that what follows is of the same stream.
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
      group: fromOneLine(group),
      key: fromOneLine(key),
      tag: place.slice(0, space),
      order: Number(place.slice(space)),
      doc,
    })
  }
  return rows
}

/** Names come from agents and may hold anything. */
const inOneLine = (name: string): string =>
  name.includes('\n') || name.startsWith('"') ? JSON.stringify(name) : name

const fromOneLine = (line: string): string => (line.startsWith('"') ? (JSON.parse(line) as string) : line)
