import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Ledger, openSqliteLedger } from '@panoptes/engine/ledger'
import { failure } from '@panoptes/schema/result'
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

it('is made as soon as the database is back, and once', async () => {
  const { signal } = new AbortController()
  await makeId(awayFor(2), signal)
  const id = await idOf(ledger, signal)
  expect(id).toMatch(/^[0-9a-f]{18}$/)
  await makeId(awayFor(0), signal)
  expect(await idOf(ledger, signal)).toBe(id)
})

it('is waited for no longer than the signal says', async () => {
  const stop = new AbortController()
  const making = makeId(awayFor(Number.POSITIVE_INFINITY), stop.signal)
  stop.abort()
  await making
  expect(await idOf(ledger, stop.signal)).toBeUndefined()
})
