import { describe, expect, it } from 'vitest'
import { toldBy } from './about.ts'
import { endOf, fileOf, madeBy, resultOf } from './parts.ts'
import { PROJECT_COLUMNS, SESSION_COLUMNS } from './statements.ts'
import { costOf, usageOf } from './tokens.ts'

const T = Date.UTC(2026, 8, 15)
const result = (state: object) => resultOf({ callID: 'c', state })

describe('the result of a call', () => {
  it.each<[object, boolean]>([
    [{ status: 'completed' }, true],
    [{ status: 'completed', metadata: { exit: 0 } }, true],
    [{ status: 'completed', metadata: { exit: 2 } }, false],
    [{ status: 'completed', metadata: { exitCode: 2 } }, false],
    [{ status: 'error', error: 'no' }, false],
  ])('with %j is told as %s', (state, ok) => {
    expect(result(state)).toMatchObject([{ type: 'tool_result', id: 'c', ok }])
  })

  it('is not there while the tool is at work', () => {
    expect([...result({ status: 'running' }), ...result({ status: 'pending' })]).toEqual([])
  })

  it('has the time it took, the text or the error, and the images', () => {
    const image = { mime: 'image/png', url: 'data:image/png;base64,AA' }
    expect(
      result({
        status: 'completed',
        output: 'out',
        time: { start: T, end: T + 70 },
        attachments: [image, { mime: 'text/plain', filename: 'a.txt' }],
      }),
    ).toEqual([
      { type: 'tool_result', id: 'c', ok: true, text: 'out', duration_ms: 70 },
      { type: 'image', media_type: 'image/png', data: 'AA' },
    ])
    expect(
      result({ status: 'error', error: 'no', output: 'out', time: { start: T, end: T - 1 } }),
    ).toMatchObject([{ text: 'no', duration_ms: null }])
  })
})

it('shows a file that is no image by its name', () => {
  expect(fileOf({ mime: 'text/plain', filename: 'a.txt', url: 'file:///a.txt' })).toEqual([
    { type: 'text', text: 'a.txt' },
  ])
  expect(fileOf({ mime: 'image/png', url: 'https://x/a.png' })).toEqual([
    { type: 'image', media_type: 'image/png', data: null, url: 'https://x/a.png' },
  ])
  expect(fileOf({ mime: 'text/plain', url: 'data:text/plain,abc' })).toEqual([
    { type: 'text', text: 'text/plain' },
  ])
  expect(fileOf({})).toEqual([])
})

it('knows the session that a call made and when a part ended', () => {
  expect(madeBy({ state: { metadata: { sessionId: 's' } } })).toBe('s')
  expect(madeBy({ state: { metadata: { sessionID: 's' } } })).toBe('s')
  expect(madeBy({})).toBeNull()
  expect(endOf({ type: 'text', time: { start: T, end: T + 5 } })).toBe(T + 5)
  expect(endOf({ type: 'tool', time: { end: 1 }, state: { time: { start: T } } })).toBe(T)
})

it('counts thoughts as output, once, whether they are told apart or not', () => {
  const cache = { read: 3, write: 4 }
  expect(usageOf({ input: 1, output: 10, reasoning: 5, cache, total: 23 })).toMatchObject({ output: 15 })
  expect(usageOf({ input: 1, output: 10, reasoning: 5, cache, total: 18 })).toMatchObject({ output: 10 })
  expect(usageOf({ input: 1, output: 2, reasoning: 5, cache })).toMatchObject({
    input: 1,
    output: 7,
    cache_read: 3,
    cache_write: 4,
    reasoning: 5,
  })
  expect(usageOf({ input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } })).toBeNull()
  expect([costOf(0.25), costOf(0), costOf('1')]).toEqual([250_000, null, null])
})

it.each([
  ['New session - 2026-09-15T08:00:00.000Z', null],
  ['Child session - 2026-09-15T08:00:00.000Z', null],
  ['New session for the team', 'New session for the team'],
])('takes the title %j for %j', (title, expected) => {
  const row = [...SESSION_COLUMNS, ...PROJECT_COLUMNS].map((name) => (name === 'title' ? title : null))
  expect(toldBy(row).title).toBe(expected)
})
