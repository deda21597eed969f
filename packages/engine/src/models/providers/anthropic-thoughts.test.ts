import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { anthropicProvider, createAnthropicTranslator } from './anthropic.ts'
import { anthropicRequest } from './anthropic-request.ts'
import { ThoughtCache } from './anthropic-thoughts.ts'
import type { ChatMessage, ChatPart } from './port.ts'
import { ReplyAssembler } from './reply-assembler.ts'
import { type ScriptedAnswer, type ScriptedServer, startScripted } from './scripted.test-kit.ts'

let server: ScriptedServer
beforeAll(async () => {
  server = await startScripted()
})
afterAll(() => server.close())
beforeEach(() => {
  server.requests.length = 0
})

type Blocks = readonly { readonly type: string; readonly [field: string]: unknown }[]
const thinking = { type: 'enabled', budget_tokens: 2_000 }
const user = { role: 'user', content: 'q' }
const opened = () =>
  anthropicProvider({ name: 'p', baseUrl: server.url, apiKey: () => undefined, retries: 0 })
const sent = (at: number) => server.requests.at(-1)?.body.messages[at]?.content as Blocks
const last = async (parts: AsyncIterable<ChatPart>) => {
  let end: ChatPart | undefined
  for await (const part of parts) end = part
  return end
}

interface Looping {
  readonly provider?: ReturnType<typeof opened>
  readonly session?: string
  readonly stream?: boolean
  /** Returns what the client keeps of a message. */
  readonly keeps?: (message: ChatMessage) => ChatMessage
}

/** Runs a tool loop in which the model thinks before each call. */
async function loop(
  answers: readonly ScriptedAnswer[],
  { provider = opened(), session, stream = true, keeps = (message) => message }: Looping = {},
) {
  const messages: ChatMessage[] = [user]
  for (const [n, answer] of answers.entries()) {
    server.script('m', answer)
    const part = await last(provider.chat({ model: 'm', messages, rest: { thinking } }, { stream, session }))
    if (part?.type !== 'end') throw new Error(part?.type === 'failed' ? part.error.message : 'no end')
    messages.push(keeps(part.reply.message))
    const calls = part.reply.message.tool_calls as { id: string }[] | undefined
    for (const { id } of calls ?? [])
      messages.push({ role: 'tool', tool_call_id: id, content: `result ${n}` })
  }
  return messages
}
const calling = (n: number, more: ScriptedAnswer = {}): ScriptedAnswer => ({
  reasoning: `thought ${n}`,
  calls: [{ id: `toolu_${n}`, name: 'run', input: { n } }],
  ...more,
})
const stripped = ({ role, content, tool_calls }: ChatMessage): ChatMessage => ({ role, content, tool_calls })

describe('thinking blocks of Anthropic', () => {
  it.each([
    [true, 'sends it back', (message: ChatMessage) => message],
    [false, 'sends it back', (message: ChatMessage) => message],
    [true, 'does not', stripped],
    [false, 'does not', stripped],
  ])(
    'return in the next call with their signature; streamed: %s, and the client %s',
    async (stream, _, keeps) => {
      await loop([calling(0), calling(1, { text: 'look' }), { text: 'done' }], {
        stream,
        keeps,
        session: 's',
      })
      expect(sent(1).map(({ type, thinking }) => thinking ?? type)).toEqual(['thought 0', 'tool_use'])
      expect(sent(3).map(({ type, thinking }) => thinking ?? type)).toEqual(['thought 1', 'text', 'tool_use'])
      expect(sent(3)[0]?.signature).toMatch(/^signed:/)
      expect(server.requests.every(({ body }) => body.thinking !== undefined)).toBe(true)
    },
  )

  it('return as well if they are redacted or arrive whole', async () => {
    const answer = calling(0, { redacted: 'x', text: 'look', whole: true })
    const [, made] = await loop([answer, { text: 'done' }])
    expect(sent(1).map(({ type }) => type)).toEqual(['thinking', 'redacted_thinking', 'text', 'tool_use'])
    expect(made).toMatchObject({
      reasoning_content: 'thought 0',
      reasoning_details: [
        { type: 'reasoning.text', text: 'thought 0', index: 0 },
        { type: 'reasoning.encrypted', data: 'sealed:x', index: 1 },
      ],
    })
    const { reasoning: _reasoning, ...sealed } = calling(1, { redacted: 'y' })
    await loop([sealed, { text: 'done' }], { keeps: stripped })
    expect(sent(1).map(({ type }) => type)).toEqual(['redacted_thinking', 'tool_use'])
  })

  it('return in full if the client keeps only the last of several', async () => {
    const keeps = ({ reasoning_details: details, ...message }: ChatMessage): ChatMessage =>
      Array.isArray(details) ? { ...message, reasoning_details: details.slice(-1) } : message
    await loop([calling(0, { redacted: 'x' }), { text: 'done' }], { keeps })
    expect(sent(1).map(({ type }) => type)).toEqual(['thinking', 'redacted_thinking', 'tool_use'])
  })

  it('return once if parallel calls come back in several messages', async () => {
    const provider = opened()
    const calls = ['a', 'b'].map((id) => ({ id, name: 'run', input: {} }))
    const [, made] = await loop([{ reasoning: 'hm', calls }], { provider, keeps: stripped })
    const all = (made?.tool_calls ?? []) as object[]
    const each = all.map((call) => ({ role: 'assistant', tool_calls: [call] }))
    const results = ['a', 'b'].map((id) => ({ role: 'tool', tool_call_id: id, content: 'x' }))
    const ask = { model: 'm', messages: [user, ...each, ...results], rest: { thinking } }
    expect((await last(provider.chat(ask, { stream: true })))?.type).toBe('end')
    expect(sent(1).map(({ type }) => type)).toEqual(['thinking', 'tool_use', 'tool_use'])
  })

  it('belong to their session; if they are unknown, thinking is disabled for that call', async () => {
    const provider = opened()
    const messages = await loop([calling(0)], { provider, session: 'one', keeps: stripped })
    const again = (session: string) =>
      last(provider.chat({ model: 'm', messages, rest: { thinking } }, { stream: true, session }))
    expect((await again('other'))?.type).toBe('end')
    expect(server.requests.at(-1)?.body).not.toHaveProperty('thinking')
    expect(sent(1).map(({ type }) => type)).toEqual(['tool_use'])
    expect((await again('one'))?.type).toBe('end')
    expect(server.requests.at(-1)?.body.thinking).toEqual(thinking)
  })

  it('are rejected by the scripted server, as by Anthropic, if missing or changed', async () => {
    const asked = async (blocks: Blocks) => {
      const made = anthropicRequest({ model: 'm', messages: [user], rest: { thinking } })
      const messages = [
        ...(made.messages as object[]),
        { role: 'assistant', content: blocks },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c' }] },
      ]
      const body = JSON.stringify({ ...made, messages })
      const reply = await fetch(`${server.url}/v1/messages`, { method: 'POST', body })
      return [reply.status, await reply.text()]
    }
    const use = { type: 'tool_use', id: 'c', name: 'x', input: {} }
    expect(await asked([use])).toEqual([400, expect.stringMatching(/Expected `thinking`/)])
    expect(await asked([{ type: 'thinking', thinking: 'x', signature: 'forged' }, use])).toEqual([
      400,
      expect.stringMatching(/Invalid `signature`/),
    ])
  })

  it('are not sent if thinking is off, and those of other providers never are', () => {
    const detail = { type: 'reasoning.text', text: 'x', signature: 's', index: 0 }
    const content = (details: unknown, rest: object = {}) => {
      const message = { role: 'assistant', content: 'a', reasoning_details: details }
      const made = anthropicRequest({ model: 'm', messages: [user, message, user], rest: { ...rest } })
      return (made.messages as { content: Blocks }[])[1]?.content.map(({ type }) => type)
    }
    expect(content([detail])).toEqual(['thinking', 'text'])
    expect(content([detail], { thinking: { type: 'adaptive' } })).toEqual(['thinking', 'text'])
    expect(content([detail], { thinking: { type: 'disabled' } })).toEqual(['text'])
    for (const odd of [
      { ...detail, signature: undefined },
      { ...detail, signature: '' },
      { ...detail, format: 'openai-responses-v1' },
      { type: 'reasoning.encrypted', data: 7 },
      { type: 'reasoning.summary', summary: 'x' },
      null,
      7,
    ])
      expect(content([odd])).toEqual(['text'])
    expect(content('odd')).toEqual(['text'])
  })

  it('keep their place between texts and calls', () => {
    const pieces = createAnthropicTranslator()
    const gathered = new ReplyAssembler()
    const block = (index: number, content_block: object) => {
      for (const type of ['content_block_start', 'content_block_stop']) {
        const chunk = pieces.piece({ type, index, content_block })
        if (chunk) gathered.add(chunk)
      }
    }
    const thought = (words: string) => ({ type: 'thinking', thinking: words, signature: 's' })
    block(0, { type: 'text', text: '\n' })
    block(1, thought('one'))
    block(2, { type: 'text', text: 'look' })
    block(3, thought('two'))
    block(4, { type: 'tool_use', id: 'a', name: 'x', input: {} })
    block(5, thought('three'))
    block(6, { type: 'tool_use', id: 'b', name: 'x', input: {} })
    const made = anthropicRequest({ model: 'm', messages: [user, gathered.reply().message] })
    const [, said] = made.messages as { content: Blocks }[]
    expect(said?.content.map(({ thinking, text, id }) => thinking ?? text ?? id)).toEqual([
      ...['one', '\nlook', 'two', 'a', 'three', 'b'],
    ])
  })
})

describe('cache of thinking blocks', () => {
  it('is bounded and keeps the newest', () => {
    const kept = new ThoughtCache()
    for (let n = 0; n < 6_000; n += 1) kept.store('s', [{ id: `c${n}` }], [n])
    expect([kept.of('s', [{ id: 'c0' }]), kept.of('s', [{ id: 'c5999' }])]).toEqual([[], [5_999]])
    for (let n = 0; n < 40; n += 1) kept.store('s', [{ id: `l${n}` }], ['x'.repeat(1_000_000)])
    expect(kept.of('s', [{ id: 'l0' }])).toEqual([])
    expect(kept.of('s', [null, { id: 7 }, { id: 'l39' }])).toHaveLength(1)
    expect(kept.of('t', [{ id: 'l39' }])).toEqual([])
  })
})
