import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Failure, Result } from '@panoptes/schema'
import { afterEach, beforeEach } from 'vitest'
import { events } from './conformance/event-kit.ts'
import { value } from './conformance/lab.ts'
import { type EventStore, openSqliteStore } from './index.ts'

export const CHILD = fileURLToPath(new URL('./sqlite-faults.child.ts', import.meta.url))

let home = ''
let file = ''
const open: EventStore[] = []

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'panoptes-faults-'))
  file = join(home, 'ledger.db')
})

afterEach(async () => {
  for (const store of open.splice(0)) await store.close()
  rmSync(home, { recursive: true, force: true })
})

/** Returns the folder of one test, and the store's file in it. */
export const lab = (): { readonly home: string; readonly file: string } => ({ home, file })

/** Closes the store when the test is over. */
export function closing(store: EventStore): EventStore {
  open.push(store)
  return store
}

export const opened = async (path = file): Promise<EventStore> => closing(value(await openSqliteStore(path)))

/** Creates a closed store with this many events. */
export async function createStore(count: number): Promise<void> {
  const store = value(await openSqliteStore(file))
  value(await store.append(events(count)))
  await store.close()
}

export async function refused(path = file): Promise<Failure> {
  const result: Result<EventStore> = await openSqliteStore(path)
  if (!result.ok) return result
  await result.value.close()
  throw new Error('it was opened')
}

/** Runs a scene in a process of its own and returns what it reports at the end. */
export function child(prefix: readonly string[], ...args: readonly string[]): Record<string, unknown> {
  const [command = '', ...rest] = [...prefix, process.execPath, CHILD, ...args]
  const ran = spawnSync(command, rest, { encoding: 'utf8', timeout: 60_000 })
  const line = ran.stdout.trim().split('\n').at(-1)
  if (!line) throw new Error(`${command}: ${ran.error?.message ?? ran.stderr}`)
  return JSON.parse(line) as Record<string, unknown>
}
