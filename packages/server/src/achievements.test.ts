import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type AchievementItem,
  type AchievementsReply,
  achievementsReply,
  check,
  type RescanReply,
  type ScanStatus,
  type SessionBadgesReply,
  streamFrame,
} from '@panoptes/schema'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addSession, type Served, serveAchievements } from './achievements.test-kit.ts'

let served: Served
beforeAll(async () => {
  served = await serveAchievements()
})
afterAll(() => served.stop())

/** A database for one test with a single session, and the parameters that select it. */
function database(name: string, model = 'ollama/llama', messages = 1) {
  const file = join(served.home, 'others', `${name}.db`)
  addSession(file, name, model, messages)
  return { file, ...asking(file) }
}

const asking = (file: string) => ({
  body: { source: 'hermes', hermes_db: file },
  view: { source: 'hermes', hermesDb: file } as const,
  query: `source=hermes&hermes_db=${encodeURIComponent(file)}`,
})

const idsOf = (items: readonly AchievementItem[] | undefined) => items?.map(({ id }) => id)

describe('GET /api/achievements', () => {
  it('scans once for all waiting requests, then answers from memory', async () => {
    const { kit, get } = served
    const { query } = database('long', 'ollama/llama', 301)
    const path = `/api/achievements?${query}`
    const before = await get<ScanStatus>(`/api/scan-status?${query}`)
    expect(before).toMatchObject({ state: 'idle', run_count: 0, snapshot_stale: true })

    const replies = await Promise.all(Array.from({ length: 20 }, () => get<AchievementsReply>(path)))
    const [reply] = replies as [AchievementsReply]
    expect(check(achievementsReply, reply)).toMatchObject({ ok: true })
    expect(reply).toMatchObject({ is_stale: false, error: null, total_count: 60, view: 'hermes' })
    expect(reply.scan_meta).toMatchObject({ mode: 'full', sessions_total: 1, messages_scanned: 301 })
    expect(reply.achievements.find(({ id }) => id === 'supposed_to_be_quick')).toMatchObject({
      tier: 'Copper',
      unlocked_at: 1_790_000_300,
      evidence: { session_id: 'long', title: 'About long', value: 301 },
    })
    expect(new Set(replies.map(({ generated_at }) => generated_at)).size).toBe(1)
    expect(await get(`/api/scan-status?${query}`)).toMatchObject({ state: 'idle', run_count: 1 })

    const etag = (await kit.request(path)).headers.get('etag') ?? ''
    const again = await kit.request(path, { headers: { 'if-none-match': etag } })
    expect([again.status, await again.text()]).toEqual([304, ''])
    const other = await kit.request(path, { headers: { 'if-none-match': 'W/"other"' } })
    expect(other.status).toBe(200)
  })

  it('answers at once that nothing was scanned yet when the request does not want to wait', async () => {
    const { get, achievements } = served
    const { query, view } = database('hurried')
    const path = `/api/achievements?${query}&wait=0`
    const reply = await get<AchievementsReply>(path)
    expect(reply).toMatchObject({ is_stale: true, total_count: 60, unlocked_count: 0 })
    expect(reply.scan_meta).toMatchObject({ mode: 'pending', status: { state: 'running' } })
    await achievements.settled(view)
    expect(await get(path)).toMatchObject({ unlocked_count: 1, scan_meta: { mode: 'full' } })
  })

  it('returns the underlying metrics on request, for any time zone', async () => {
    const { query } = database('clocks')
    const path = `/api/achievements?${query}&aggregate=1`
    const utc = await served.get<AchievementsReply>(path)
    const auckland = await served.get<AchievementsReply>(`${path}&tz=Pacific/Auckland`)
    // 14:13 in London is 02:13 in Auckland.
    expect([utc.aggregate?.night_sessions, auckland.aggregate?.night_sessions]).toEqual([0, 1])
    expect([utc.time_zone, auckland.time_zone]).toEqual(['UTC', 'Pacific/Auckland'])
    expect((await served.kit.request(`${path}&tz=Atlantis`)).status).toBe(400)
  })

  it('names the badges of one session', async () => {
    const { query } = database('local one')
    await served.get(`/api/achievements?${query}`)
    const { badges } = await served.get<SessionBadgesReply>(`/api/sessions/local%20one/badges?${query}`)
    expect(idsOf(badges)).toEqual(['open_weights_pilgrim'])
    expect((await served.kit.request(`/api/sessions/nobody/badges?${query}`)).status).toBe(404)
  })

  it('has no overview route', async () => {
    for (const path of ['/overview', '/api/overview'])
      expect((await served.kit.request(path)).status).toBe(404)
  })
})

describe('an achievements scan', () => {
  it('starts on request, returns its run, and streams what it unlocks to subscribed clients', async () => {
    const { home, kit, get, send, achievements } = served
    const own = join(home, '.hermes', 'state.db')
    addSession(own, 'local', 'ollama/llama', 1)
    await get('/api/achievements?source=hermes')
    const [asked, not] = await Promise.all([kit.stream('?achievements=1'), kit.stream()])
    addSession(own, 'long', 'openai/gpt-5', 300)
    const run = (await (await send('/api/rescan', { source: 'hermes' })).json()) as RescanReply
    expect(run).toMatchObject({ ok: true, run_id: expect.any(String), status: { state: 'running' } })
    await achievements.settled({ source: 'hermes' })
    await asked.until((frames) => frames.some(({ type }) => type === 'unlocked'))
    const told = check(
      streamFrame,
      asked.frames.find(({ type }) => type === 'unlocked'),
    )
    expect(told).toMatchObject({ ok: true, value: { type: 'unlocked', view: 'hermes' } })
    const unlocked = ['supposed_to_be_quick', 'provider_polyglot']
    expect(told.ok && told.value.type === 'unlocked' && idsOf(told.value.achievements)).toEqual(unlocked)
    await kit.post({ event: 'session_start', session_id: 's', key: 'k' })
    await not.reached(1)
    expect(not.frames.map(({ type }) => type)).not.toContain('unlocked')
    const recent = await get<AchievementItem[]>('/api/recent-unlocks?source=hermes')
    expect(idsOf(recent)).toEqual([...unlocked, 'open_weights_pilgrim'])
  })
})

describe('an achievements reset', () => {
  it('requires confirmation, and removes unlocks and scan results', async () => {
    const { get, send } = served
    const { query, body } = database('reset')
    await get(`/api/achievements?${query}`)
    const refused = await send('/api/achievements/reset', body)
    expect(refused.status).toBe(400)
    expect(((await refused.json()) as { detail: string }).detail).toMatch(/confirm must be "reset"/)
    const done = await send('/api/achievements/reset', { ...body, confirm: 'reset' })
    expect(await done.json()).toEqual({ ok: true, unlocks_removed: 1 })
    expect(await get(`/api/scan-status?${query}`)).toMatchObject({ snapshot_generated_at: null })
    expect(await get(`/api/achievements?${query}`)).toMatchObject({ scan_meta: { sessions_rescanned: 1 } })
  })
})

describe('achievements of an unreadable database', () => {
  it('reports the cause if there is no earlier scan', async () => {
    const damaged = join(served.home, 'damaged.db')
    writeFileSync(damaged, 'no database at all')
    for (const [file, status] of [
      [damaged, 500],
      [join(served.home, 'missing.db'), 404],
    ] as const) {
      const { query } = asking(file)
      const reply = await served.kit.request(`/api/achievements?${query}`)
      expect([reply.status, reply.headers.get('content-type')]).toEqual([status, 'application/problem+json'])
      expect(((await reply.json()) as { detail: string }).detail).toContain(file)
      expect(await served.get(`/api/scan-status?${query}`)).toMatchObject({
        state: 'failed',
        last_error: expect.stringContaining(file),
      })
    }
    expect((await served.kit.request('/api/achievements?hermes_db=state.db')).status).toBe(400)
  })

  it('returns the earlier scan as outdated, with the cause', async () => {
    const { get, send, achievements } = served
    const { file, query, body, view } = database('gone')
    const good = await get<AchievementsReply>(`/api/achievements?${query}`)
    rmSync(file)
    await send('/api/rescan', body)
    await achievements.settled(view)
    const old = await get<AchievementsReply>(`/api/achievements?${query}`)
    expect(old).toMatchObject({ is_stale: true, error: expect.stringContaining(file) })
    expect(old.scan_meta.error).toBe(old.error)
    expect(old.achievements).toEqual(good.achievements)
  })
})
