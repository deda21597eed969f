import type { ChatMessage } from '@panoptes/engine/models'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { advisoryView, trimToWindow, type ViewMessage } from './advisory-view.ts'

const viewed = (...messages: readonly ChatMessage[]) => advisoryView(messages, 4_000)
const user = (content: unknown) => ({ role: 'user', content })
const call = (name: string, given: unknown) => ({
  id: 'c',
  type: 'function',
  function: { name, arguments: given },
})
const result = (content: unknown) => ({ role: 'tool', tool_call_id: 'c', content })

describe('advisory view', () => {
  it('omits system messages and roles it does not know', () => {
    const roles = ['system', 'developer', 'function', 'moderator'].map((role) => ({
      role,
      content: 'secret',
    }))
    expect(viewed(...roles, user('q'))).toEqual({ messages: [user('q')], asked: 1 })
  })

  it('notes an image that came without text and drops empty messages', () => {
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }
    const { messages } = viewed(
      user([image]),
      user(''),
      user(' \n'),
      user([]),
      user(null),
      user([image, { type: 'text', text: 'see' }]),
    )
    expect(messages).toHaveLength(2)
    expect(messages[0]?.content).toMatch(/image without text/)
    expect(messages[1]?.content).toBe('see')
  })

  it('includes every call with its full arguments and its folded results', () => {
    const long = JSON.stringify({ text: 'x'.repeat(9_000) })
    const { messages } = viewed(
      user('q'),
      {
        role: 'assistant',
        content: 'look',
        tool_calls: [call('write', long), call('run', { a: 1 }), call('stop', '')],
      },
      result('one'),
      result([{ type: 'text', text: 'two' }]),
    )
    expect(messages[1]).toEqual({
      role: 'assistant',
      content: `look\n[called tool: write(${long})]\n[called tool: run({"a":1})]\n[called tool: stop()]\n[tool result: one]\n[tool result: two]`,
    })
  })

  it('cuts a long result in the middle and states how much is missing', () => {
    const text = `${'a'.repeat(3_000)}${'b'.repeat(3_000)}`
    const [, said] = advisoryView([user('q'), result(text)], 1_000).messages
    expect(said?.content).toBe(
      `[tool result: ${'a'.repeat(500)}\n… 5000 characters left out …\n${'b'.repeat(500)}]`,
    )
    expect(advisoryView([user('q'), result('c'.repeat(1_000))], 1_000).messages[1]?.content).toBe(
      `[tool result: ${'c'.repeat(1_000)}]`,
    )
  })

  it('never splits a surrogate pair', () => {
    const [, said] = advisoryView([user('q'), result(`x${'👩'.repeat(2_000)}`)], 1_000).messages
    expect(said?.content.isWellFormed()).toBe(true)
  })

  it('appends a request if the user did not speak last, and does not count it as a user turn', () => {
    const { messages, asked } = viewed(user('q'), { role: 'assistant', content: 'working' })
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
    expect(asked).toBe(1)
    expect(viewed({ role: 'system', content: 'x' })).toMatchObject({ messages: [{ role: 'user' }], asked: 0 })
  })

  it('accepts anything a client may send', () => {
    const odd = [null, 7, 'x', {}, { function: null }, { type: 'text', text: 7 }]
    expect(() =>
      viewed(user(odd), { role: 'assistant', content: odd, tool_calls: odd }, result(odd), result({ a: 1 })),
    ).not.toThrow()
  })
})

const text = fc.string({ maxLength: 30 })
const message: fc.Arbitrary<ChatMessage> = fc.oneof(
  text.map((content) => ({ role: 'system', content })),
  text.map((content) => user(content)),
  text.map((content) => result(content)),
  fc.tuple(text, fc.array(text, { maxLength: 2 })).map(([content, names]) => ({
    role: 'assistant',
    content,
    ...(names.length > 0 ? { tool_calls: names.map((name) => call(name, '{}')) } : {}),
  })),
)
const conversation = fc.array(message, { maxLength: 12 })

const decorated = (one: ChatMessage): ChatMessage => ({
  ...one,
  content: [{ type: 'text', text: one.content, cache_control: { type: 'ephemeral' } }],
})

describe('advisory view for any conversation', () => {
  it('ends with a user turn and contains no empty turn', () => {
    fc.assert(
      fc.property(conversation, (messages) => {
        const { messages: view, asked } = advisoryView(messages, 1_000)
        expect(view.at(-1)?.role).toBe('user')
        expect(view.every(({ content }) => content.trim() !== '')).toBe(true)
        expect(asked).toBeLessThanOrEqual(view.length)
      }),
    )
  })

  it('produces the same bytes with and without cache marks on the messages', () => {
    fc.assert(
      fc.property(conversation, (messages) => {
        expect(JSON.stringify(advisoryView(messages.map(decorated), 1_000))).toBe(
          JSON.stringify(advisoryView(messages, 1_000)),
        )
      }),
    )
  })

  it('keeps its prefix as the conversation grows', () => {
    fc.assert(
      fc.property(conversation, conversation, (before, more) => {
        const { messages: view, asked } = advisoryView(before, 1_000)
        const { messages: grown } = advisoryView([...before, ...more], 1_000)
        const real = asked === view.length ? view : view.slice(0, -1)
        const bytes = real.map(({ role, content }) => `${role}:${content}`).join('\0')
        expect(
          grown
            .map(({ role, content }) => `${role}:${content}`)
            .join('\0')
            .startsWith(bytes),
        ).toBe(true)
      }),
    )
  })
})

describe('view trimmed to a context window', () => {
  const said = (role: ViewMessage['role'], size: number): ViewMessage => ({
    role,
    content: role[0]?.repeat(size) ?? '',
  })
  const WINDOW = 20_000
  // floor(20,000 × 0.9) − 8,192 tokens of 4 characters
  const ROOM = 39_232

  it('stays whole if the window is unknown or large enough', () => {
    const view = [said('user', 10_000), said('user', 10_000), said('assistant', 10_000), said('user', 9_232)]
    expect(trimToWindow(view, null, 0)).toBe(view)
    expect(trimToWindow(view, WINDOW, 0)).toEqual(view)
    expect(trimToWindow(view, WINDOW, 1)).toEqual(view.slice(1))
  })

  it('drops the oldest turns and begins with a user turn', () => {
    const view = [
      said('user', ROOM),
      said('assistant', 10),
      said('user', 10),
      said('assistant', 10),
      said('user', 10),
    ]
    expect(trimToWindow(view, WINDOW, 0)).toEqual(view.slice(2))
  })

  it('keeps the question of a long answer and its newest steps', () => {
    const steps = Array.from({ length: 20 }, () => said('assistant', 5_000))
    const kept = trimToWindow([said('user', 100), ...steps, said('user', 50)], WINDOW, 0)
    expect(kept.map(({ content }) => content.length)).toEqual([
      100, 5_000, 5_000, 5_000, 5_000, 5_000, 5_000, 5_000, 50,
    ])
  })

  it('keeps the last two messages at any size, and as much of the question as fits', () => {
    const view = [said('user', 10), said('user', ROOM), said('assistant', ROOM), said('user', ROOM)]
    const [question, ...last] = trimToWindow(view, 1_024, 0)
    expect(last).toEqual(view.slice(2))
    expect(question?.content).toMatch(/^u{500}\n… 38232 characters left out …\nu{500}$/)
  })

  it('begins with a user turn if there is one, and keeps its end', () => {
    const turn = fc.record({
      role: fc.constantFrom('user', 'assistant'),
      content: fc.string({ minLength: 1, maxLength: 9 }),
    })
    fc.assert(
      fc.property(
        fc.array(turn, { maxLength: 20 }),
        fc.integer({ min: 9_000, max: 9_200 }),
        (turns, window) => {
          const view = [said('user', 5), ...(turns as ViewMessage[]), said('user', 5)]
          const kept = trimToWindow(view, window, 0)
          expect(kept[0]?.role).toBe('user')
          expect(kept.slice(-2)).toEqual(view.slice(-2))
        },
      ),
    )
  })
})
