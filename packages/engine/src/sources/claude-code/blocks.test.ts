import { expect, it } from 'vitest'
import { toBlocks } from './row.ts'

const blocks = (content: unknown, more: object = {}) => toBlocks({ message: { content }, ...more })

it('converts the blocks of a message and keeps unknown ones as text', () => {
  expect(blocks('plain')).toEqual([{ type: 'text', text: 'plain' }])
  expect(blocks('')).toEqual([])
  expect(
    blocks([
      { type: 'text', text: 'a' },
      { type: 'thinking', thinking: 'b' },
      { type: 'redacted_thinking', data: 'x' },
      { type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'ls' } },
      { type: 'server_tool_use', id: 't2', name: 'web_search', input: { query: 'q' } },
      { type: 'image', source: { media_type: 'image/png', data: 'AA' } },
      { type: 'novel', x: 1 },
    ]),
  ).toEqual([
    { type: 'text', text: 'a' },
    { type: 'reasoning', text: 'b' },
    { type: 'reasoning', text: '' },
    { type: 'tool_call', id: 't1', tool: 'Bash', input: { command: 'ls' } },
    { type: 'tool_call', id: 't2', tool: 'web_search', input: { query: 'q' } },
    { type: 'image', media_type: 'image/png', data: 'AA' },
    { type: 'text', text: '{"type":"novel","x":1}' },
  ])
})

it('converts text, images, outcome and time of a result', () => {
  const result = { type: 'tool_result', tool_use_id: 't1' }
  const image = { type: 'image', source: { media_type: 'image/png', data: 'AA' } }
  expect(
    blocks([{ ...result, is_error: true, content: [{ type: 'text', text: 'a' }, image, { text: 'b' }] }], {
      toolUseResult: { durationMs: 12.6 },
    }),
  ).toEqual([
    { type: 'tool_result', id: 't1', ok: false, text: 'a\nb', duration_ms: 13 },
    { type: 'image', media_type: 'image/png', data: 'AA' },
  ])
  expect(blocks([{ ...result, content: 'done' }], { toolUseResult: { totalDurationMs: 9 } })).toEqual([
    { type: 'tool_result', id: 't1', ok: true, text: 'done', duration_ms: 9 },
  ])
})
