import type { SQLOutputValue } from 'node:sqlite'
import type { Message, Session } from '@panoptes/schema'
import { columnText } from '../database/text.ts'
import { type AbandonedDelegation, abandonedIn } from './delegations.ts'
import { stateFilesIn } from './places.ts'
import { type Row, toMessage } from './row.ts'
import { About } from './session-metadata.ts'
import { type StateDatabase, stateDatabase } from './state-database.ts'
import { watchHome } from './watch.ts'

/** Messages added to a database after a given one. */
export interface NewMessages {
  readonly rows: readonly { readonly session: string; readonly message: Message }[]
  /** The last message that was checked. */
  readonly last: number
  readonly more: boolean
}

/** Follows the databases of Hermes across all sessions. */
export interface HermesState {
  readonly files: () => Promise<readonly string[]>
  /** The id of the newest message, or 0 when there is none. */
  readonly newest: (path: string) => Promise<number>
  readonly after: (path: string, id: number) => Promise<NewMessages>
  readonly session: (path: string, id: string) => Promise<Session | undefined>
  readonly abandoned: (path: string) => Promise<readonly AbandonedDelegation[]>
  readonly watch: (changed: () => void) => () => void
}

/** The limit of text held in memory, in characters. */
const MOST_HELD = 4_194_304

/** Its methods throw the errors of the database. */
export function hermesState(home: string): HermesState {
  const databases = new Map<string, StateDatabase>()
  const databaseAt = (path: string): StateDatabase => {
    const database = databases.get(path) ?? stateDatabase(path)
    databases.set(path, database)
    return database
  }
  return {
    files: async () => (await stateFilesIn(home)).map(({ path }) => path),
    newest: (path) =>
      databaseAt(path).slice((statements) => {
        const row = statements?.newest.get() as unknown as readonly SQLOutputValue[] | undefined
        return Number(row?.[0] ?? 0)
      }),
    after: (path, id) => newerThan(databaseAt(path), id),
    session: (path, id) =>
      databaseAt(path).slice((statements) => {
        const row = statements?.session.get(id) as unknown as readonly SQLOutputValue[] | undefined
        return row && new About(row).session({ id, fingerprint: '', place: path })
      }),
    abandoned: (path) =>
      databaseAt(path).slice((statements) =>
        abandonedIn(
          (statements?.delegations?.iterate() ?? []) as unknown as Iterable<readonly SQLOutputValue[]>,
        ),
      ),
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
      const { message } = session === null ? {} : toMessage(row, session, null)
      if (session !== null && message !== undefined) rows.push({ session, message })
      if (held > MOST_HELD || over()) return { rows, last, more: true }
    }
    return { rows, last, more: last !== id }
  })
