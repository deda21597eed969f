import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EventStore, openSqliteStore } from '@panoptes/engine/store'
import type { Account, CostCell, SkillUse } from '@panoptes/schema'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { findHistoryStart } from './skills.ts'

let folder = ''
let store: EventStore
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'panoptes-known-'))
  const opened = await openSqliteStore(join(folder, 'ledger.db'))
  if (!opened.ok) throw new Error(opened.message)
  store = opened.value
})
afterEach(async () => {
  await store.close()
  await rm(folder, { recursive: true, force: true })
})

const put = async (more: Partial<Account>) => {
  const account: Account = {
    source: 'panoptes',
    session_id: 's',
    fingerprint: '1',
    from: 'log',
    title: null,
    project: null,
    last_at: null,
    agents: [],
    claims: [],
    skills: [],
    cells: [],
    ...more,
  }
  const stored = await store.accounts.put([account])
  if (!stored.ok) throw new Error(stored.message)
}
const use = (id: string, ts: number): SkillUse => ({
  source: 'panoptes',
  session_id: 's',
  agent_id: 'main',
  project: null,
  id,
  skill: 'tidy',
  ts,
  success: true,
  duration_ms: null,
  how: 'recorded',
  trajectory_id: null,
  reason: null,
  n: null,
})

it('the history begins with the first day that cost something, otherwise with the first known use', async () => {
  expect(await findHistoryStart(store.accounts)).toEqual({ ok: true, value: null })
  const first = new Date(2026, 8, 2, 9).getTime()
  await put({ skills: [use('b', first + 5), use('a', first), use('c', first + 9)] })
  expect(await findHistoryStart(store.accounts)).toEqual({ ok: true, value: first })
  const cell: CostCell = {
    day: '2026-08-01',
    agent_id: 'main',
    model: null,
    skill: null,
    replies: 1,
    tokens_in: 0,
    tokens_out: 0,
    cache_read: 0,
    cache_write: 0,
    cost_micro_usd: 1,
    usage_unknown: 0,
    cost_unknown: 0,
    saved_micro_usd: 0,
  }
  await put({ session_id: 't', cells: [cell, { ...cell, day: '2026-08-03' }] })
  expect(await findHistoryStart(store.accounts)).toEqual({ ok: true, value: new Date(2026, 7, 1).getTime() })
})
