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

/** What is packed is laid out here. A new buffer each time would stay in memory until it is collected. */
let scratch = Buffer.alloc(0)

/** Four lines a row: its group, its key, its tag and order, its document. JSON has no line ends of its own. */
export function packRows(rows: readonly PackedRow[]): Uint8Array {
  let length = 0
  for (const [n, { group, key, tag, order, doc }] of rows.entries()) {
    const place = `${inOneLine(group)}\n${inOneLine(key)}\n${tag} ${order}\n`
    const text = n === 0 ? place : `\n${place}`
    makeRoom(length + 3 * (text.length + doc.length))
    length += scratch.write(text, length)
    length += scratch.write(doc, length)
  }
  return deflateRawSync(scratch.subarray(0, length), { level: 1 })
}

function makeRoom(bytes: number): void {
  if (bytes <= scratch.length) return
  const larger = Buffer.allocUnsafeSlow(Math.max(bytes, 2 * scratch.length, 65_536))
  scratch.copy(larger)
  scratch = larger
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
