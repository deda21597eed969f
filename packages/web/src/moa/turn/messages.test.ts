import { expect, it } from 'vitest'
import { record, turn, turnReply } from '../moa.test-kit.ts'
import { adviceIndex, answerIndex, parseToolCall, sharedPrefix, toMessages } from './messages.ts'

const MARK = '[Mixture of Agents, preset review. You are the acting model.]\n\nReference 1\nNo.'
const sent = (messages: readonly unknown[], guidance: 'message' | 'merged' | null = null) =>
  record(turn(), 1, { input_messages: [...messages], guidance }).aggregator

it('lists messages with role and size and names tools and images', () => {
  const shown = toMessages(
    sent([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'what is this' },
          { type: 'image_url', image_url: {} },
        ],
      },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ function: { name: 'Grep', arguments: '{"a":1}' } }],
      },
      'no message at all',
      null,
    ]),
  )
  expect(shown.map(({ role, text, besides }) => [role, text, besides])).toEqual([
    ['user', 'what is this', ['image_url']],
    ['assistant', '', ['Grep {"a":1}']],
    ['?', '"no message at all"', []],
    ['?', 'null', []],
  ])
  expect(shown[1]?.chars).toBe('Grep {"a":1}'.length)
})

it('marks the guidance as its own message or at the end of another', () => {
  const own = toMessages(
    sent(
      [
        { role: 'user', content: 'q' },
        { role: 'user', content: MARK },
      ],
      'message',
    ),
  )
  expect(own.map(({ guidanceFrom }) => guidanceFrom)).toEqual([null, 0])
  const merged = toMessages(sent([{ role: 'user', content: `q\n\n${MARK}` }], 'merged'))
  expect(merged[0]?.guidanceFrom).toBe(3)
  expect(toMessages(sent([{ role: 'user', content: MARK }]))[0]?.guidanceFrom).toBeNull()
})

it('counts the unchanged prefix of two calls in characters', () => {
  const [a, b] = [
    { role: 'user', content: 'one' },
    { role: 'user', content: 'two' },
  ]
  expect(sharedPrefix(sent([a]), sent([a, b]))).toBe(JSON.stringify([a]).length - 1)
  expect(sharedPrefix(sent([a]), sent([a]))).toBe(JSON.stringify([a]).length)
  expect(sharedPrefix({ ...sent([]), input_messages: null }, sent([a]))).toBeNull()
})

it('reads tool calls of both wire formats', () => {
  expect(parseToolCall({ function: { name: 'Grep', arguments: '{}' } })).toMatchObject({
    name: 'Grep',
    input: '{}',
  })
  expect(parseToolCall({ name: 'Read', input: { path: 'a' } }).name).toBe('Read')
  expect(parseToolCall(7)).toMatchObject({ name: '?', input: '' })
})

it('finds the record of the final answer and the guidance it used', () => {
  const { records } = turnReply()
  expect(answerIndex(records)).toBe(1)
  expect(adviceIndex(records, 1)).toBe(0)
  expect([answerIndex([]), adviceIndex([], 0)]).toEqual([-1, -1])
})

it('marks only the last guidance in a message that quotes earlier guidance', () => {
  const quoted = `You said:\n${MARK}\n\nAnd now?\n\n`
  const [shown] = toMessages(sent([{ role: 'user', content: `${quoted}${MARK}` }], 'merged'))
  expect(shown?.guidanceFrom).toBe(quoted.length)
})
