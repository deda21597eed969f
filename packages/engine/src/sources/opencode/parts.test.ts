import { describe, expect, it } from 'vitest'
import { fileBlocks, madeBy, partEnd, toResults } from './parts.ts'
import { toCost, toUsage } from './replies.ts'
import { parseSessionRow } from './session-metadata.ts'
import { PROJECT_COLUMNS, SESSION_COLUMNS } from './statements.ts'

const T = Date.UTC(2026, 8, 15)
const result = (state: object) => toResults({ callID: 'c', state })

describe('the result of a call', () => {
  it.each<[object, boolean | null]>([
    [{ status: 'completed' }, true],
    [{ status: 'completed', metadata: { exit: 0 } }, true],
    [{ status: 'completed', metadata: { exit: 2 } }, false],
    [{ status: 'completed', metadata: { exitCode: 2 } }, false],
    [{ status: 'error', error: 'no' }, false],
    [{ status: 'error', error: 'The user rejected permission to use this specific tool call.' }, null],
    [{ status: 'error', error: 'The user has specified a rule which prevents you from using it.' }, null],
    [{ status: 'error', error: 'Tool execution aborted', metadata: { interrupted: true } }, null],
  ])('with %j has the outcome %s', (state, ok) => {
    expect(result(state)).toMatchObject([{ type: 'tool_result', id: 'c', ok }])
  })

  it('is absent while the tool is running', () => {
    expect([...result({ status: 'running' }), ...result({ status: 'pending' })]).toEqual([])
  })

  it('has the duration, the text or the error, and the images', () => {
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

it('shows a non-image file by its name', () => {
  expect(fileBlocks({ mime: 'text/plain', filename: 'a.txt', url: 'file:///a.txt' })).toEqual([
    { type: 'text', text: 'a.txt' },
  ])
  expect(fileBlocks({ mime: 'image/png', url: 'https://x/a.png' })).toEqual([
    { type: 'image', media_type: 'image/png', data: null, url: 'https://x/a.png' },
  ])
  expect(fileBlocks({ mime: 'text/plain', url: 'data:text/plain,abc' })).toEqual([
    { type: 'text', text: 'text/plain' },
  ])
  expect(fileBlocks({})).toEqual([])
})

it('finds the session that a call created and when a part ended', () => {
  expect(madeBy({ state: { metadata: { sessionId: 's' } } })).toBe('s')
  expect(madeBy({ state: { metadata: { sessionID: 's' } } })).toBe('s')
  expect(madeBy({})).toBeNull()
  expect(partEnd({ type: 'text', time: { start: T, end: T + 5 } })).toBe(T + 5)
  expect(partEnd({ type: 'tool', time: { end: 1 }, state: { time: { start: T } } })).toBe(T)
})

it('counts reasoning as output once, whether it is separate or not', () => {
  const cache = { read: 3, write: 4 }
  expect(toUsage({ input: 1, output: 10, reasoning: 5, cache, total: 23 })).toMatchObject({ output: 15 })
  expect(toUsage({ input: 1, output: 10, reasoning: 5, cache, total: 18 })).toMatchObject({ output: 10 })
  expect(toUsage({ input: 1, output: 2, reasoning: 5, cache })).toMatchObject({
    input: 1,
    output: 7,
    cache_read: 3,
    cache_write: 4,
    reasoning: 5,
  })
  expect(toUsage({ input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } })).toBeNull()
  expect([toCost(0.25), toCost(0), toCost('1')]).toEqual([250_000, null, null])
})

it.each([
  ['New session - 2026-09-15T08:00:00.000Z', null],
  ['Child session - 2026-09-15T08:00:00.000Z', null],
  ['New session for the team', 'New session for the team'],
])('uses the title %j for %j', (title, expected) => {
  const row = [...SESSION_COLUMNS, ...PROJECT_COLUMNS].map((name) => (name === 'title' ? title : null))
  expect(parseSessionRow(row).title).toBe(expected)
})
