import { deflateRawSync, inflateRawSync } from 'node:zlib'

/** A row as its table has it. It stays text until somebody needs to look into it: of very many rows few change. */
export interface PackedRow {
  readonly group: string
  readonly key: string
  readonly tag: string
  readonly order: number
  readonly doc: string
}

const FIELDS = 4

/** Four lines a row: its group, its key, its tag and order, its document. JSON has no line ends of its own. */
export function packRows(rows: readonly PackedRow[]): Uint8Array {
  const lines = rows.flatMap(({ group, key, tag, order, doc }) => [
    inOneLine(group),
    inOneLine(key),
    `${tag} ${order}`,
    doc,
  ])
  return deflateRawSync(Buffer.from(lines.join('\n')), { level: 1 })
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
