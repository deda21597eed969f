import { success } from '@panoptes/schema/result'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  asking,
  type ChatLab,
  chatLab,
  collectEvents,
  saying,
  scriptedRuntime,
  value,
} from '../chat.test-kit.ts'
import { createContextBuilder } from './context-builder.ts'
import { userMemory } from './memory-files.ts'

describe('epoch of a conversation', () => {
  let lab: ChatLab
  beforeAll(async () => {
    lab = await chatLab()
  })
  afterAll(() => lab.end())

  const remembering = (items: readonly string[]) => {
    const jarvis = scriptedRuntime('jarvis', saying('yes'))
    const build = createContextBuilder({
      sources: [
        userMemory({
          facts: lab.conversations.facts,
          loadAgentMemory: async () => ({ items, unread: [], leftOut: 0 }),
        }),
      ],
      skills: async () => ({ skills: [], left_out: 0, status: 'absent' }),
      plan: async () => ({ decision: 'sequential', worthiness: 1, reasons: [], nodes: [], edges: [] }),
      template: async () => success({ items: [] }),
    })
    return { chat: lab.open([jarvis.adapter], { build }), asked: jarvis.asked }
  }

  it('sends a new fact once, with the next message, and leaves the baseline unchanged', async () => {
    const { chat, asked } = remembering(['Hermes: likes tea'])
    const { id } = value(await chat.create({}))
    await collectEvents(await chat.chat(id, asking('one')))
    const fact = value(await chat.remember('Lives in Bern'))
    await collectEvents(await chat.chat(id, asking('two')))
    await collectEvents(await chat.chat(id, asking('three')))
    expect(new Set(asked.map(({ baseline }) => baseline)).size).toBe(1)
    expect(asked[0]?.baseline).toContain('- Hermes: likes tea')
    expect(asked.map(({ preamble }) => preamble.includes('Lives in Bern'))).toEqual([false, true, false])
    expect(asked[2]?.history[2]?.preamble).toBe(asked[1]?.preamble)
    const second = value(await chat.get(id)).messages[2]?.id ?? ''
    const user = value(await chat.context(id, second)).sections.find(({ key }) => key === 'user')
    expect(user).toMatchObject({ status: 'ok', items: 2, note: '1 new with this message' })
    value(await chat.forgetFact(fact.id))
    await collectEvents(await chat.chat(id, asking('four')))
    expect(JSON.stringify(asked[3])).not.toContain('Bern')
  })

  it('does not send as new what did not fit when it began', async () => {
    const { chat, asked } = remembering(
      Array.from({ length: 300 }, (_, n) => `Hermes: thing ${n} ${'of many words '.repeat(8)}`),
    )
    const { id } = value(await chat.create({}))
    await collectEvents(await chat.chat(id, asking('one')))
    await collectEvents(await chat.chat(id, asking('two')))
    expect(asked[0]?.baseline).toContain('thing 0 ')
    expect(asked[0]?.baseline).not.toContain('thing 299 ')
    expect(asked[1]?.preamble).toBe('')
  })

  it('continues in a fork and with an edited message', async () => {
    const { chat, asked } = remembering(['Hermes: likes tea'])
    const { id } = value(await chat.create({}))
    await collectEvents(await chat.chat(id, asking('one')))
    await collectEvents(await chat.chat(id, asking('two')))
    const { messages } = value(await chat.get(id))
    const { id: forked } = value(await chat.fork(id, messages[1]?.id ?? ''))
    await collectEvents(await chat.chat(forked, asking('two')))
    await collectEvents(await chat.chat(id, asking('two', { replaces: messages[2]?.id })))
    const sent = asked.slice(1).map(({ baseline, preamble, message, history }) => ({
      baseline,
      preamble,
      message,
      history: history.map(({ content, preamble: before }) => [before, content]),
    }))
    expect(sent[1]).toEqual(sent[0])
    expect(sent[2]).toEqual(sent[0])
  })
})
