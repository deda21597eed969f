import { afterEach, expect, it, vi } from 'vitest'
import { costPlace, evidencePlace, sessionPlace } from './evidence.ts'

const evidence = { source: 'claude-code', session_id: 's 1', agent_id: 'a1', n: 41, tool_use_id: 'toolu_1' }

afterEach(() => void vi.unstubAllGlobals())

it('links to the message when its place in the transcript is known', () => {
  expect(evidencePlace(evidence, 5)).toEqual({
    to: '/sessions',
    search: { session: 'claude-code~s%201', n: 41 },
  })
  expect(evidencePlace({ ...evidence, n: 0 })).toMatchObject({ to: '/sessions', search: { n: 0 } })
})

it('links to Live when only the time is known, and to Events without a time', () => {
  expect(evidencePlace({ ...evidence, n: null }, 1_700)).toEqual({
    to: '/',
    search: { session: 'claude-code~s%201', agent: 'claude-code~s%201~a1', at: 1_700 },
  })
  expect(evidencePlace({ ...evidence, n: null })).toEqual({
    to: '/settings/events',
    search: { source: 'claude-code', session: 's 1', text: 'toolu_1' },
  })
})

it('links to the costs of a session from any source', () => {
  expect(costPlace({ ...evidence, source: 'workshop' })).toEqual({
    to: '/ledger',
    search: { tab: 'costs', days: 'all', by: 'agent', session: 'workshop~s%201' },
  })
})

it('links to the transcript of a session, or to Live if it has none', async () => {
  const asked: string[] = []
  const answer = (status: number) =>
    vi.stubGlobal('fetch', async (path: string) => {
      asked.push(path)
      return Response.json({}, { status })
    })
  answer(200)
  expect(await sessionPlace(evidence, 9)).toEqual({
    to: '/sessions',
    search: { session: 'claude-code~s%201' },
  })
  answer(404)
  expect(await sessionPlace(evidence, 9)).toMatchObject({ to: '/', search: { at: 9 } })
  expect(asked[0]).toBe('/api/past/sessions/claude-code/s%201?limit=1')
})
