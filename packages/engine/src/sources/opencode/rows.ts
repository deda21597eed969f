import type { SQLOutputValue } from 'node:sqlite'
import { isPlainObject } from '@panoptes/schema/plain-object'
import type { SharedDatabase } from '../database/shared-database.ts'
import { columnText } from '../database/text.ts'
import { type Fields, toTime } from '../fields.ts'
import { objectProblem, parsed } from '../json.ts'
import type { Statements } from './statements.ts'

/** A stored message with its parts in order. */
export interface StoredMessage {
  readonly id: string
  readonly created: number | null
  /** The parsed data; undefined when it could not be read. */
  readonly data: Fields | undefined
  readonly parts: readonly Fields[]
  readonly problems: readonly string[]
}

type PartRow = readonly [
  id: SQLOutputValue,
  created: SQLOutputValue,
  data: SQLOutputValue,
  partId: SQLOutputValue,
  partData: SQLOutputValue,
]

/** The limit of text held in memory, in characters. */
const MOST_HELD = 4_194_304
const MOST_MESSAGES = 500

type Place = readonly [created: SQLOutputValue, id: SQLOutputValue]
const BEFORE_ALL: Place = [-(2n ** 63n), '']

/** Reads the messages of a session in order, in slices. */
export async function* messagesIn(
  database: SharedDatabase<Statements>,
  session: string,
  signal?: AbortSignal,
): AsyncGenerator<StoredMessage> {
  for (let after: Place | undefined = BEFORE_ALL; after !== undefined && !signal?.aborted; ) {
    const from: Place = after
    const { groups, more } = await database.slice((statements, over) => {
      const groups: PartRow[][] = []
      let held = 0
      for (const each of statements?.parts.iterate(session, ...from) ?? []) {
        const row = each as unknown as PartRow
        const group = groups.at(-1)
        if (group?.[0]?.[0] === row[0]) group?.push(row)
        else if (groups.length >= MOST_MESSAGES || held > MOST_HELD || (groups.length > 0 && over()))
          return { groups, more: true }
        else groups.push([row])
        held += valueLength(row[2]) + valueLength(row[4])
      }
      return { groups, more: false }
    })
    for (const group of groups) yield toStoredMessage(group)
    const last = groups.at(-1)?.[0]
    after = more && last !== undefined ? [last[1], last[0]] : undefined
  }
}

const valueLength = (value: unknown): number =>
  typeof value === 'string' || value instanceof Uint8Array ? value.length : 0

function toStoredMessage(rows: readonly PartRow[]): StoredMessage {
  const [id, created, data] = rows[0] ?? ['', null, null]
  const problems: string[] = []
  const read = (value: SQLOutputValue): Fields | undefined => {
    // The statement returns the length in place of a text that is too long.
    if (typeof value === 'bigint') {
      problems.push('is too long to read')
      return undefined
    }
    const text = columnText(value)
    const fields = parsed(text)
    if (isPlainObject(fields)) return fields
    problems.push(objectProblem(text))
    return undefined
  }
  const own = read(data)
  const parts = rows.flatMap(([, , , partId, partData]) => {
    const part = partId === null ? undefined : read(partData)
    return part === undefined ? [] : [{ ...part, id: columnText(partId) }]
  })
  const at = typeof created === 'bigint' ? toTime(Number(created)) : null
  return { id: columnText(id) ?? '', created: at, data: own, parts, problems }
}
