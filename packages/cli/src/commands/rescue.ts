import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { lockStore, type Rescued, type RescuedTable, rescueStore } from '@panoptes/engine/store'
import type { Context } from '../context.ts'
import { noStore } from '../daemon/access.ts'
import { placeOfHome } from '../daemon/place.ts'
import { interruptible } from '../daemon/signals.ts'
import { CommandFailure, EXIT, orFail } from '../failure.ts'
import { resolveTarget } from '../output-file.ts'
import { columns, count, plural } from '../terminal/format.ts'
import { startProgress } from '../terminal/progress.ts'

interface RescueOptions {
  readonly into?: string | undefined
}

/**
 * Copies the readable rows of this home's store to a new one, or creates the store of a home from a file. The
 * source never changes.
 */
export async function rescue(context: Context, file: string, { into }: RescueOptions): Promise<void> {
  const { from, to } =
    into === undefined
      ? { from: await storeOfHome(context), to: await resolveTarget(context, file, {}) }
      : { from: resolve(file), to: await newStorePath(into) }
  if (!existsSync(from))
    throw into === undefined
      ? noStore(context)
      : new CommandFailure(`${from} does not exist`, { code: 'not_found', next: 'Check the name.' })
  const locks = [from, ...(into === undefined ? [] : [to])].map(acquireLock)
  const progress = startProgress(context.output, 'Read pages')
  const { signal, done } = interruptible()
  try {
    const rescued = orFail(await rescueStore(from, to, { signal, onProgress: progress.update }))
    progress.end()
    context.output.answer(
      [...describeRescue(from, rescued), ...(into === undefined ? nextLines(to) : startLines(into))],
      { ok: true, ...rescued },
    )
  } finally {
    progress.end()
    done()
    for (const release of locks) release()
  }
}

const MOST_RANGES = 8

/** Describes what was saved and lost. Rows lost in an earlier rescue are not counted. */
function describeRescue(
  from: string,
  { path, events, lost_events, lost, tables, unknown_pages }: Rescued,
): string[] {
  const damaged = tables.filter(({ lost_rows, lost_pages }) => lost_rows + lost_pages > 0)
  return [
    `${plural(events, 'event')} saved in ${path}`,
    lost_events === 0
      ? `Every event in ${from} was read. Events lost before they were written are not counted.`
      : `${plural(lost_events, 'event')} lost: ${formatRanges(lost)}`,
    ...columns(tables.filter(({ table, rows }) => rows > 0 && table !== 'events').map(savedRow)),
    ...(damaged.length > 0 ? ['Some rows could not be read in:', ...columns(damaged.map(lostRow))] : []),
    ...(unknown_pages > 0 ? [`${plural(unknown_pages, 'page')} could not be read at all.`] : []),
  ]
}

/** Formats missing numbers: `12 to 61, 400, 512 to 600 and 3 more ranges`. */
export function formatRanges(lost: Rescued['lost']): string {
  const shown = lost
    .slice(0, MOST_RANGES)
    .map(([from, to]) => (from === to ? `number ${count(from)}` : `numbers ${count(from)} to ${count(to)}`))
  const more = lost.length - shown.length
  return `${shown.join(', ')}${more > 0 ? ` and ${plural(more, 'more range')}` : ''}`
}

const savedRow = ({ table, rows }: RescuedTable): string[] => [table, plural(rows, 'row')]

const lostRow = ({ table, lost_rows, lost_pages }: RescuedTable): string[] => [
  table,
  [
    lost_rows > 0 ? plural(lost_rows, 'row') : '',
    lost_pages > 0 ? `${plural(lost_pages, 'page')} with an unknown number of rows` : '',
  ]
    .filter((part) => part !== '')
    .join(', '),
]

const nextLines = (file: string): string[] => [
  'To use it, move ledger.db, ledger.db-wal and ledger.db-shm out of the home, then run:',
  `  panoptes rescue ${file} --into HOME`,
]

const startLines = (home: string): string[] => [
  `The home ${resolve(home)} has its store. Panoptes rebuilds derived data when it starts: panoptes up`,
]

async function storeOfHome(context: Context): Promise<string> {
  const place = await placeOfHome(context)
  if (place.kind === 'sqlite') return place.file
  throw new CommandFailure('The store of this home is a database, not a file', {
    code: 'usage',
    next: 'Restore the database from its backup, or pass a file: panoptes rescue FILE --into HOME',
    exit: EXIT.usage,
  })
}

/** SQLite would apply a leftover write-ahead log to the new file. */
async function newStorePath(home: string): Promise<string> {
  const store = join(resolve(home), 'ledger.db')
  const there = ['', '-wal', '-shm'].map((ending) => `${store}${ending}`).filter((path) => existsSync(path))
  if (there.length === 0) return store
  throw new CommandFailure(`${there.join(', ')} already ${there.length === 1 ? 'exists' : 'exist'}`, {
    code: 'exists',
    next: 'Move ledger.db, ledger.db-wal and ledger.db-shm to another folder first. Nothing is overwritten.',
  })
}

/** Nobody may write during a rescue. A file without a lock next to it is not open in any Panoptes. */
function acquireLock(file: string): () => void {
  if (!existsSync(`${file}.lock`)) return () => undefined
  const lock = lockStore(file)
  if (lock.ok) return lock.value.release
  if (lock.code !== 'locked') return () => undefined
  throw new CommandFailure(`A running Panoptes has ${file} open`, {
    code: 'in_use',
    next: 'Stop it with: panoptes stop',
    exit: EXIT.inUse,
  })
}
