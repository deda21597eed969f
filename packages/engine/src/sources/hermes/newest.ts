import type { SQLOutputValue } from 'node:sqlite'
import type { Message, Session } from '@panoptes/schema'
import { columnText } from '../database/text.ts'
import { About } from './about.ts'
import { stateFilesIn } from './places.ts'
import { messageOf, type Row } from './row.ts'
import { type StateDatabase, stateDatabase } from './state-database.ts'
import { watchHome } from './watch.ts'

/** What was added to a database since a message of it. */
export interface NewMessages {
  readonly rows: readonly { readonly session: string; readonly message: Message }[]
  /** The last message that was looked at. */
  readonly last: number
  readonly more: boolean
}

/** The databases of Hermes as they grow, whichever sessions their messages are of. */
export interface HermesState {
  readonly files: () => Promise<readonly string[]>
  /** The id of the newest message; 0 where there is none. */
  readonly newest: (path: string) => Promise<number>
  readonly after: (path: string, id: number) => Promise<NewMessages>
  readonly session: (path: string, id: string) => Promise<Session | undefined>
  readonly watch: (changed: () => void) => () => void
}

/** What is held at a time, in characters. */
const MOST_HELD = 4_194_304

/** Throws what reading a database throws. */
export function hermesState(home: string): HermesState {
  const databases = new Map<string, StateDatabase>()
  const databaseOf = (path: string): StateDatabase => {
    const known = databases.get(path) ?? stateDatabase(path)
    databases.set(path, known)
    return known
  }
  return {
    files: async () => (await stateFilesIn(home)).map(({ path }) => path),
    newest: (path) =>
      databaseOf(path).slice((statements) => {
        const row = statements?.newest.get() as unknown as readonly SQLOutputValue[] | undefined
        return Number(row?.[0] ?? 0)
      }),
    after: (path, id) => newerThan(databaseOf(path), id),
    session: (path, id) =>
      databaseOf(path).slice((statements) => {
        const row = statements?.session.get(id) as unknown as readonly SQLOutputValue[] | undefined
        return row && new About(row).session({ id, fingerprint: '', place: path })
      }),
    watch: (changed) => watchHome(home, changed),
  }
}

const newerThan = (database: StateDatabase, id: number): Promise<NewMessages> =>
  database.slice((statements, over) => {
    const rows: NewMessages['rows'][number][] = []
    let last = id
    let held = 0
    for (const each of statements?.newer.iterate(id) ?? []) {
      const row = each as unknown as Row
      const session = columnText((each as unknown as readonly SQLOutputValue[])[row.length - 1])
      last = Number(row[0])
      held += String(row[2] ?? '').length
      const { message } = session === null ? {} : messageOf(row, session, null)
      if (session !== null && message !== undefined) rows.push({ session, message })
      if (held > MOST_HELD || over()) return { rows, last, more: true }
    }
    return { rows, last, more: last !== id }
  })
