import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { resolvePaths } from '@panoptes/engine/home'
import { openReview, type Review } from '@panoptes/engine/outcomes'
import { openSessions, type Sessions } from '@panoptes/engine/sessions'
import { type EventStore, openSqliteStore } from '@panoptes/engine/store'
import { config } from '@panoptes/schema'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer, unwrap } from './server.test-kit.ts'

const folder = mkdtempSync(join(tmpdir(), 'panoptes-ledger-'))
let store: EventStore
let sessions: Sessions
let review: Review
let kit: TestServer
beforeAll(async () => {
  store = unwrap(await openSqliteStore(join(folder, 'ledger.db')))
  const settings = config.parse({ budgets: { limits: [{ per: 'day', usd: 25 }] } })
  const paths = resolvePaths({ PANOPTES_HOME: join(folder, 'home') })
  const env = { HOME: folder }
  sessions = unwrap(await openSessions({ file: paths.history, env }))
  review = unwrap(await openReview({ store, sessions, config: settings, paths, env }))
  kit = await startTestServer({ options: { review } })
})
afterAll(async () => {
  await kit.stop()
  await review.close()
  await sessions.close()
  await store.close()
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
})

const ask = async (path: string, body?: object) => {
  const init = body ? { method: 'POST', body: JSON.stringify(body) } : {}
  const reply = await kit.request(`/api/ledger/${path}`, init)
  return { status: reply.status, body: (await reply.json()) as Record<string, unknown> }
}

describe('the ledger routes', () => {
  it('answer before there is any data', async () => {
    expect(await ask('overview')).toMatchObject({
      status: 200,
      body: { agents: 0, cost_micro_usd: 0, flagged: [] },
    })
    expect((await ask('agents')).body).toEqual({ total: 0, agents: [] })
    expect((await ask('claims?check=fails')).body).toEqual({ total: 0, claims: [] })
    expect((await ask('followups')).body).toEqual({ total: 0, followups: [] })
    expect((await ask('costs?by=model&split=model')).body).toEqual([])
    expect((await ask('outcomes')).body).toEqual([])
    expect((await ask('calibration')).body).toMatchObject({ rows: [], points: [], open: 0 })
    expect((await ask('skills')).body).toMatchObject({ window_days: 30, skills: [] })
    expect((await ask('budgets')).body).toMatchObject([
      { name: 'Today', limit_micro_usd: 25_000_000, level: 'under' },
    ])
  })

  it('record a use of a skill, which then counts', async () => {
    const recorded = await ask('skill-uses', { skill: 'tidy', success: true, duration_ms: 1_200 })
    expect(recorded).toMatchObject({ status: 200, body: { ok: true, skill: 'tidy', ts: expect.any(Number) } })
    unwrap(await review.refresh())
    expect((await ask('skill-uses?skill=tidy')).body).toMatchObject({
      total: 1,
      uses: [{ success: true, how: 'recorded' }],
    })
    expect((await ask('skills?verdict=watching')).body).toMatchObject({
      skills: [{ skill: 'tidy', uses: 1, rate: 1 }],
    })
    expect((await ask('skills?verdict=archive')).body).toMatchObject({ skills: [] })
    expect((await ask('skills/review', {})).body).toMatchObject({ applied: false, changes: [] })
  })

  it('explain why a query is invalid', async () => {
    for (const wrong of [
      'agents?outcome=great',
      'claims?tier=real',
      'costs?by=color',
      'agents?limit=0',
      'overview?days=3',
    ])
      expect((await ask(wrong)).status, wrong).toBe(400)
    expect((await ask('skill-uses', { skill: ' ', success: true })).status).toBe(400)
    expect((await ask('skill-uses', { skill: 'x', success: true, duration_ms: -1 })).status).toBe(400)
    expect((await ask('skills/review', { apply: 'yes' })).status).toBe(400)
  })
})
