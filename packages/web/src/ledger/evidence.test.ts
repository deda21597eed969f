import { afterEach, expect, it, vi } from 'vitest'
import { costPlace, placeOf, sessionPlace } from './evidence.ts'

const evidence = { source: 'claude-code', session_id: 's 1', agent_id: 'a1', n: 41, tool_use_id: 'toolu_1' }

afterEach(() => void vi.unstubAllGlobals())

it('leads to the message where it has a place in the transcript', () => {
  expect(placeOf(evidence, 5)).toEqual({ to: '/sessions', search: { session: 'claude-code~s%201', n: 41 } })
  expect(placeOf({ ...evidence, n: 0 })).toMatchObject({ to: '/sessions', search: { n: 0 } })
})

it('leads to the moment in Live where only events know of it, and to the events where the moment is not known', () => {
  expect(placeOf({ ...evidence, n: null }, 1_700)).toEqual({
    to: '/',
    search: { session: 'claude-code~s%201', agent: 'claude-code~s%201~a1', at: 1_700 },
  })
  expect(placeOf({ ...evidence, n: null })).toEqual({
    to: '/settings/events',
    search: { source: 'claude-code', session: 's 1', text: 'toolu_1' },
  })
})

it('leads to what a session spent, whatever it is known by', () => {
  expect(costPlace({ ...evidence, source: 'workshop' })).toEqual({
    to: '/ledger',
    search: { tab: 'costs', days: 'all', by: 'agent', session: 'workshop~s%201' },
  })
})

it('leads to the transcript of a session that has one, and to Live otherwise', async () => {
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
