import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createForgetting, indexForgetter, openSessions, type Sessions } from '@panoptes/engine/sessions'
import { type EventStore, openSqliteStore } from '@panoptes/engine/store'
import type {
  FoundMessage,
  IndexStatus,
  PastMessage,
  PastSession,
  SavedFilter,
  TranscriptReply,
} from '@panoptes/schema'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { startTestServer, type TestServer, unwrap } from './server.test-kit.ts'

const RECORDED = new URL('../../../fixtures/claude-code/transcripts', import.meta.url).pathname
const PARALLEL = 'ea691ccd-8a96-4a2d-838e-68211d44554b'
const AT = `/api/past/sessions/claude-code/${PARALLEL}`

let folder: string
let store: EventStore
let sessions: Sessions
let kit: TestServer

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'panoptes-past-'))
  await cp(RECORDED, join(folder, 'projects'), { recursive: true })
  store = unwrap(await openSqliteStore(join(folder, 'ledger.db')))
  const env = { HOME: folder, CLAUDE_CONFIG_DIR: folder }
  sessions = unwrap(await openSessions({ file: join(folder, 'index.db'), env, marked: store.annotations }))
  unwrap(await sessions.refresh())
  const forget = createForgetting(store, [indexForgetter(sessions)])
  kit = await startTestServer({ options: { sessions, store, forget } })
})
afterAll(async () => {
  await kit.stop()
  await sessions.close()
  await store.close()
  await rm(folder, { recursive: true, force: true })
})

const get = async <T>(path: string) => (await (await kit.request(path)).json()) as T
const send = (method: string, path: string, body: unknown = {}) =>
  kit.request(path, { method, body: JSON.stringify(body) })

describe('a transcript over HTTP', () => {
  it('prices each reply and each agent, and returns a message in full', async () => {
    const { agents, messages, session } = await get<TranscriptReply>(AT)
    expect(agents.reduce((sum, { spent }) => sum + spent.cost_micro_usd, 0)).toBe(
      session.spent.cost_micro_usd,
    )
    expect(messages[1]).toMatchObject({ n: 1, cut: false, cost_micro_usd: expect.any(Number) })
    expect(await get<PastMessage>(`${AT}/messages/1`)).toEqual(messages[1])
    expect((await kit.request(`${AT}/messages/9999`)).status).toBe(404)
    expect((await kit.request(`${AT}/messages/-1`)).status).toBe(400)
  })
})

describe('a search over HTTP', () => {
  it('continues at its cursor', async () => {
    const ids = async (query: string) =>
      (await get<FoundMessage[]>(`/api/past/search?q=the&${query}`)).map(
        ({ session_id, n }) => `${session_id} ${n}`,
      )
    const all = await ids('limit=6')
    expect(new Set(all).size).toBe(6)
    expect([...(await ids('limit=2')), ...(await ids('limit=4&offset=2'))]).toEqual(all)
    expect((await kit.request('/api/past/search?q=the&offset=-1')).status).toBe(400)
  })

  it('is aborted when the client disconnects', async () => {
    let given: AbortSignal | undefined
    const search: Sessions['search'] = (_query, signal) => {
      given = signal
      return new Promise((resolve) => {
        signal?.addEventListener('abort', () => resolve({ ok: false, code: 'stopped', message: 'Stopped.' }))
      })
    }
    const slow = await startTestServer({ options: { sessions: { ...sessions, search }, store } })
    onTestFinished(() => slow.stop())
    const leave = new AbortController()
    const asked = slow.request('/api/past/search?q=x', { signal: leave.signal }).catch(() => 'left')
    await vi.waitFor(() => expect(given).toBeDefined(), 30_000)
    leave.abort()
    expect(await asked).toBe('left')
    await vi.waitFor(() => expect(given?.aborted).toBe(true), 30_000)
  })
})

describe('the indexing of sessions', () => {
  it('is paused and resumed over HTTP', async () => {
    const states = async (paused: unknown) => {
      const reply = await send('POST', '/api/past/status', { paused })
      return reply.ok ? ((await reply.json()) as IndexStatus[]).map(({ state }) => state) : reply.status
    }
    const paused = await states(true)
    expect(new Set(paused as string[])).toEqual(new Set(['paused']))
    expect(await states('yes')).toBe(400)
    expect(await states(false)).not.toContain('paused')
  })
})

describe('a session export over HTTP', () => {
  it('is a download in each format, and leaves no temporary file', async () => {
    const before = (await readdir(tmpdir())).filter((name) => name.startsWith('panoptes-export-'))
    for (const [format, type, ending, begins] of [
      ['jsonl', 'application/x-ndjson', 'jsonl', '{"type":"session","format":1'],
      ['markdown', 'text/markdown; charset=utf-8', 'md', '# RUN:parallel'],
      ['html', 'text/html; charset=utf-8', 'html', '<!doctype html>'],
    ] as const) {
      const reply = await kit.request(`${AT}/export?format=${format}`)
      expect(reply.headers.get('content-type')).toBe(type)
      expect(reply.headers.get('content-disposition')).toBe(
        `attachment; filename="panoptes-${PARALLEL}.${ending}"`,
      )
      expect((await reply.text()).startsWith(begins)).toBe(true)
    }
    expect((await kit.request(`${AT}/export?format=pdf`)).status).toBe(400)
    expect((await kit.request('/api/past/sessions/claude-code/none/export')).status).toBe(404)
    const after = (await readdir(tmpdir())).filter((name) => name.startsWith('panoptes-export-'))
    expect(after.filter((name) => !before.includes(name) && !name.includes('-test-'))).toEqual([])
  })
})

describe('marks over HTTP', () => {
  it('are set on a session, shown with it, and searchable', async () => {
    expect(await (await send('PUT', `${AT}/marks`, { tags: ['  good ', 'good', 'über'] })).json()).toEqual({
      source: 'claude-code',
      id: PARALLEL,
      tags: ['good', 'über'],
      note: null,
    })
    await send('PUT', `${AT}/marks`, { note: 'again' })
    const found = await get<PastSession[]>('/api/past/sessions?tag=%C3%BCber')
    expect(found).toMatchObject([{ id: PARALLEL, tags: ['good', 'über'], note: 'again' }])
    expect((await get<TranscriptReply>(AT)).session).toMatchObject({ note: 'again' })
    expect(await get('/api/past/sessions?tag=none')).toEqual([])
    expect(await get('/api/past/search?q=definitely&tag=good')).toEqual([])
    expect(await get('/api/past/stats?tag=good')).toMatchObject([{ sessions: 1 }])
    expect(await get('/api/past/tags')).toEqual([
      { tag: 'good', sessions: 1 },
      { tag: 'über', sessions: 1 },
    ])
  })

  it('are refused if they are invalid or their session is unknown', async () => {
    for (const body of [
      { tags: [''] },
      { tags: ['a\nb'] },
      { tags: ['a\u202eb'] },
      { tags: ['x'.repeat(65)] },
      { tags: Array.from({ length: 51 }, (_, i) => `t${i}`) },
      { note: 'x'.repeat(20_001) },
      { color: 'red' },
    ])
      expect((await send('PUT', `${AT}/marks`, body)).status).toBe(400)
    expect((await send('PUT', '/api/past/sessions/claude-code/nobody/marks', { tags: ['x'] })).status).toBe(
      404,
    )
  })

  it('redact secrets in notes, tags and filters, and keep the rest of the text', async () => {
    const secret = `ghp_${'aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zAbCdE'}`
    const marks = { tags: ['good', secret], note: `ask Ada for ${secret}` }
    await send('PUT', `${AT}/marks`, marks)
    await send('PUT', `/api/past/filters/${secret}`, { query: { q: `with ${secret}` } })
    const kept = JSON.stringify([await get(AT), await get('/api/past/tags'), await get('/api/past/filters')])
    expect(kept).not.toContain(secret)
    expect(kept).toContain('ask Ada for [redacted:')
    expect(kept).toContain('with [redacted:')
    for (const { name } of await get<SavedFilter[]>('/api/past/filters'))
      await send('DELETE', `/api/past/filters/${encodeURIComponent(name)}`)
    await send('PUT', `${AT}/marks`, { tags: ['good'], note: null })
  })

  it('include saved filters, which are listed and deleted', async () => {
    const query = { project: 'notes', since: '7d', errors: true }
    expect((await send('PUT', '/api/past/filters/This%20week', { query })).status).toBe(200)
    expect((await send('PUT', '/api/past/filters/x', { query: { since: 'soon' } })).status).toBe(400)
    expect((await send('PUT', '/api/past/filters/x', { query: { color: 'red' } })).status).toBe(400)
    expect(await get<SavedFilter[]>('/api/past/filters')).toEqual([{ name: 'This week', query }])
    expect(await (await send('DELETE', '/api/past/filters/This%20week')).json()).toEqual([])
    expect((await send('DELETE', '/api/past/filters/This%20week')).status).toBe(404)
    expect((await kit.request('/api/past/filters', { method: 'PATCH' })).status).toBe(405)
  })

  it('accept a time in milliseconds or as a date', async () => {
    expect(await get('/api/past/sessions?since=1')).toHaveLength(4)
    expect(await get('/api/past/sessions?until=2020-01-01')).toEqual([])
  })
})

describe('forgetting over HTTP', () => {
  it('lists the sessions that match a pattern, and forgets them for stream clients too', async () => {
    const skill = '03c5563d-ef2d-4b7e-a401-fe41f97cec2b'
    const event = (id: string, n: number) => ({
      event: 'prompt',
      source: 'claude-code',
      session_id: id,
      id: `${id}-${n}`,
    })
    await kit.post(
      event(skill, 1),
      ...Array.from({ length: 9 }, (_, n) => event(n % 2 === 0 ? skill : 'other', n + 2)),
    )
    const before = await kit.stream('?since=0&batch=1')
    await before.until((frames) => JSON.stringify(frames).includes(`${skill}-10`))
    expect(await get('/api/past/forgettable?pattern=run:SK*')).toMatchObject([
      { id: skill, title: 'RUN:skill' },
    ])
    expect((await kit.request('/api/past/forgettable')).status).toBe(400)
    const reply = await send('DELETE', `/api/past/sessions/claude-code/${skill}`)
    expect(await reply.json()).toMatchObject({ sessions: 1 })
    expect(await before.closed).toMatchObject({ code: 1012 })
    expect((await kit.request(`/api/past/sessions/claude-code/${skill}`)).status).toBe(404)
    const after = await kit.stream('?since=0&batch=1')
    await kit.post(event('last', 1))
    await after.until((frames) => JSON.stringify(frames).includes('last-1'))
    expect(JSON.stringify(after.frames)).toContain('other-3')
    expect(JSON.stringify(after.frames)).not.toContain(skill)
    expect((await send('POST', '/api/past/forget', { sessions: [] })).status).toBe(400)
    after.ws.close()
  })
})
