import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Ledger, openSqliteLedger } from '@panoptes/engine/ledger'
import { failure, success } from '@panoptes/schema/result'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { idOf, makeId } from './name-of.ts'

let folder: string
let ledger: Ledger

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'panoptes-name-'))
  const opened = await openSqliteLedger(join(folder, 'ledger.db'))
  if (!opened.ok) throw new Error(opened.message)
  ledger = opened.value
})
afterEach(async () => {
  await ledger.close()
  await rm(folder, { recursive: true, force: true })
})

/** A database that is away for so many questions of each kind. */
function awayFor(times: number): Pick<Ledger, 'marks' | 'append'> {
  const left = { marks: times, append: times }
  const isAway = (kind: keyof typeof left) => {
    left[kind] -= 1
    return left[kind] >= 0
  }
  const away = failure('busy', 'away')
  return {
    marks: async (names) => (isAway('marks') ? away : ledger.marks(names)),
    append: async (events, marks) => (isAway('append') ? away : ledger.append(events, marks)),
  }
}

const here = async () => success('here')

it('is made as soon as the database is back, and once', async () => {
  const { signal } = new AbortController()
  await makeId(awayFor(2), here, signal)
  const id = await idOf(ledger, here, signal)
  expect(id).toMatch(/^[0-9a-f]{18}$/)
  await makeId(awayFor(0), here, signal)
  expect(await idOf(ledger, here, signal)).toBe(id)
})

it('is waited for no longer than the signal says', async () => {
  const stop = new AbortController()
  const making = makeId(awayFor(Number.POSITIVE_INFINITY), here, stop.signal)
  stop.abort()
  await making
  expect(await idOf(ledger, here, stop.signal)).toBeUndefined()
})

it('is another where the ledger is a copy in another place', async () => {
  const { signal } = new AbortController()
  await makeId(ledger, here, signal)
  const id = await idOf(ledger, here, signal)
  const there = async () => success('there')
  await makeId(ledger, there, signal)
  const other = await idOf(ledger, there, signal)
  expect(other).toMatch(/^[0-9a-f]{18}$/)
  expect(other).not.toBe(id)
})
