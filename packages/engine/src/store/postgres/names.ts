import { createHash } from 'node:crypto'
import { type Projection, projections, rowKey } from '../projections/index.ts'

/** The longest key in bytes. An index entry in PostgreSQL may take at most a third of a page. */
const LONGEST = 400
const MARK = '\u001e'

/** Returns the key as it is stored: a very long one is replaced by its hash. */
export const toStoredKey = (key: string): string =>
  key.length <= LONGEST ? key : MARK + createHash('sha256').update(key).digest('base64')

const byName = new Map<string, Projection<object>>(projections.map((each) => [each.name, each]))

/** Returns the key and the group of a stored row. */
export function rowKeys(
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
