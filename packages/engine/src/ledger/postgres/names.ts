import { createHash } from 'node:crypto'
import { type Projection, projections, rowKey } from '../projections/index.ts'

/** An index of PostgreSQL takes no longer entries than a third of a page, in bytes. */
const LONGEST = 400
const MARK = '\u001e'

/** A key as it is stored: a very long one by its hash. */
export const storedKey = (key: string): string =>
  key.length <= LONGEST ? key : MARK + createHash('sha256').update(key).digest('base64')

const byName = new Map<string, Projection<object>>(projections.map((each) => [each.name, each]))

/** The key and the group of a stored row. */
export function keysOf(
  name: string,
  key: string,
  group: string,
  doc: string,
): { readonly key: string; readonly group: string } {
  if (!key.startsWith(MARK) && !group.startsWith(MARK)) return { key, group }
  const row = JSON.parse(doc) as Readonly<Record<string, string>>
  const place = byName.get(name)?.place(row)
  const { source = '', session_id = '', id, tool, session_of } = row
  const whole =
    name === 'agents'
      ? (session_of ?? rowKey(source, session_id, id))
      : rowKey(source, name === 'tools' ? (tool ?? '') : session_id)
  return { key: whole, group: place?.group ?? group }
}
