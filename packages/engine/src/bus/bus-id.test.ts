import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EventStore, openSqliteStore } from '@panoptes/engine/store'
import { failure, success } from '@panoptes/schema/result'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { makeId, waitForId } from './open.ts'

let folder: string
let store: EventStore

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'panoptes-name-'))
  const opened = await openSqliteStore(join(folder, 'ledger.db'))
  if (!opened.ok) throw new Error(opened.message)
  store = opened.value
})
afterEach(async () => {
  await store.close()
  await rm(folder, { recursive: true, force: true })
})

/** Simulates a database that fails the given number of calls to each method before it answers. */
function awayFor(times: number): Pick<EventStore, 'marks' | 'append'> {
  const left = { marks: times, append: times }
  const isAway = (kind: keyof typeof left) => {
    left[kind] -= 1
    return left[kind] >= 0
  }
  const away = failure('busy', 'away')
  return {
    marks: async (names) => (isAway('marks') ? away : store.marks(names)),
    append: async (events, marks) => (isAway('append') ? away : store.append(events, marks)),
  }
}

const here = async () => success('here')

it('creates the bus id once, as soon as the database is back', async () => {
  const { signal } = new AbortController()
  await makeId(awayFor(2), here, signal)
  const id = await waitForId(store, here, signal)
  expect(id).toMatch(/^[0-9a-f]{18}$/)
  await makeId(awayFor(0), here, signal)
  expect(await waitForId(store, here, signal)).toBe(id)
})

it('gives up waiting for the bus id when the signal aborts', async () => {
  const stop = new AbortController()
  const making = makeId(awayFor(Number.POSITIVE_INFINITY), here, stop.signal)
  stop.abort()
  await making
  expect(await waitForId(store, here, stop.signal)).toBeUndefined()
})

it('creates another bus id for a store that was copied to another place', async () => {
  const { signal } = new AbortController()
  await makeId(store, here, signal)
  const id = await waitForId(store, here, signal)
  const there = async () => success('there')
  await makeId(store, there, signal)
  const other = await waitForId(store, there, signal)
  expect(other).toMatch(/^[0-9a-f]{18}$/)
  expect(other).not.toBe(id)
})
