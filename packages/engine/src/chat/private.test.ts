import type { NewEvent } from '@panoptes/schema'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  asking,
  type ChatLab,
  chatLab,
  collectEvents,
  type Script,
  saying,
  scriptedRuntime,
  value,
} from './chat.test-kit.ts'
import { createContextBuilder } from './context/context-builder.ts'
import { userMemory } from './context/memory-files.ts'
import { createChatReporter, createPastRunReporter } from './live-reporter.ts'
import { createMessage } from './new-conversation.ts'
import { recoverRuns } from './run/recover-runs.ts'

const MARK = 'quokka'
let lab: ChatLab
const told: NewEvent[] = []
const live = { host: 'here', append: (events: readonly NewEvent[]) => told.push(...events) }

beforeAll(async () => {
  lab = await chatLab()
})
afterAll(() => lab.end())

/** Says the word in every place where a runtime can. */
const telling: Script = async function* () {
  yield { type: 'chunk', delta: MARK }
  for (const [kind, node_id] of [
    ['subagent', 'n1'],
    ['tool', 'n2'],
    ['step', 'n3'],
  ] as const)
    for (const status of ['started', 'failed'] as const)
      yield {
        type: 'progress',
        node_id,
        kind,
        status,
        label: `about the ${MARK}`,
        detail: { name: `read the ${MARK}`, tool: 'Read', input: MARK, model: `of ${MARK}` },
      }
  yield { type: 'failed', code: 'died', message: `The ${MARK} left.`, retryable: false }
}

const asked = async (whose: object, script: Script = telling) => {
  told.length = 0
  const chat = lab.open([scriptedRuntime('jarvis', script).adapter], { onRun: createChatReporter(live) })
  const { id } = value(await chat.create({ title: `The ${MARK}`, ...whose }))
  await collectEvents(await chat.chat(id, asking(`Where is the ${MARK}?`)))
  await expect.poll(() => told.some(({ event, id }) => event === 'agent_done' && id === 'main')).toBe(true)
  return { chat, id }
}

describe('private conversation', () => {
  it('appears in Live without text, and with text once it is shared or has no owner', async () => {
    await asked({})
    const all = told.map(({ event }) => event)
    expect(JSON.stringify(told).split(MARK).length).toBeGreaterThan(5)
    await asked({ owner: 'ada', ownerName: 'ada@a' })
    expect(told.map(({ event }) => event)).toEqual(all)
    expect(JSON.stringify(told)).not.toContain(MARK)
    expect(told.find(({ event }) => event === 'tool_use')).toMatchObject({ tool: 'Read' })
    const { chat, id } = await asked({ owner: 'ada' })
    value(await chat.change(id, { shared: true }))
    told.length = 0
    await collectEvents(await chat.chat(id, asking(`And the ${MARK}?`)))
    await expect.poll(() => JSON.stringify(told)).toContain(`And the ${MARK}?`)
  })

  it('appears without text when somebody else ends one of its runs', async () => {
    const chat = lab.open([scriptedRuntime('jarvis', saying()).adapter])
    const { id } = value(await chat.create({ title: MARK, owner: 'ada' }))
    const answer = createMessage('assistant', {
      id: 'p-a',
      content: MARK,
      status: 'partial',
      runtime: 'jarvis',
      run_id: 'run-p',
    })
    value(
      await lab.conversations.begin({
        conversation: id,
        run_id: 'run-p',
        runtime: 'jarvis',
        user: createMessage('user', { id: 'p-u', content: MARK }),
        answer,
        files: [],
      }),
    )
    const metadata = {
      v: 1,
      seq: 1,
      ts: 1,
      conversation_id: id,
      run_id: 'run-p',
      runtime: 'jarvis',
      message_id: 'p-a',
      user_message_id: 'p-u',
      model: null,
      state_revision: 0,
    }
    value(
      await lab.conversations.progress({
        conversation: id,
        run_id: 'run-p',
        answer,
        events: `${JSON.stringify({ event: 'metadata', data: metadata })}\n`,
      }),
    )
    told.length = 0
    value(await recoverRuns(lab.conversations, { onEnded: createPastRunReporter(live) }))
    expect(told.map(({ event }) => event)).toContain('prompt')
    expect(JSON.stringify(told)).not.toContain(MARK)
  })

  it('is not given to a runtime that records text itself, until it is shared', async () => {
    const hermes = scriptedRuntime('hermes', saying('yes'))
    const chat = lab.open([hermes.adapter], { isCountedHere: () => false })
    const { id } = value(await chat.create({ owner: 'ada' }))
    expect(await chat.chat(id, asking('?'))).toMatchObject({
      ok: false,
      code: 'invalid',
      message: expect.stringContaining('Share the conversation first'),
    })
    expect(value(await chat.get(id)).messages).toEqual([])
    expect(hermes.asked).toEqual([])
    value(await chat.change(id, { shared: true }))
    expect((await chat.chat(id, asking('?'))).ok).toBe(true)
    const open = value(await chat.create({}))
    expect((await chat.chat(open.id, asking('?'))).ok).toBe(true)
  })

  it("passes its owner to the runtime, with that owner's facts", async () => {
    const jarvis = scriptedRuntime('jarvis', saying('yes'))
    const chat = lab.open([jarvis.adapter], {
      build: createContextBuilder({
        sources: [
          userMemory({
            facts: lab.conversations.facts,
            loadAgentMemory: async () => ({ items: [], unread: [], leftOut: 0 }),
          }),
        ],
        skills: async () => ({ skills: [], left_out: 0, status: 'absent' }),
        plan: async () => ({ decision: 'sequential', worthiness: 1, reasons: [], nodes: [], edges: [] }),
        template: async () => {
          throw new Error('there is no template')
        },
      }),
    })
    value(await chat.remember('Ada likes tea.', 'ada'))
    value(await chat.remember('Bob likes coffee.', 'bob'))
    for (const [owner, known, unknown] of [
      ['ada', 'tea', 'coffee'],
      ['bob', 'coffee', 'tea'],
    ] as const) {
      const { id } = value(await chat.create({ owner }))
      await collectEvents(await chat.chat(id, asking('What do I like?')))
      const request = jarvis.asked.at(-1)
      expect(request).toMatchObject({ owner, isPrivate: true })
      expect(request?.baseline).toContain(known)
      expect(request?.baseline).not.toContain(unknown)
    }
    const [fact] = value(await chat.facts('ada'))
    expect(await chat.forgetFact(fact?.id ?? '', 'bob')).toMatchObject({ code: 'not_found' })
    expect(value(await chat.facts('ada'))).toHaveLength(1)
    value(await chat.forgetFact(fact?.id ?? '', 'ada'))
  })

  it('belongs to the person who forked it', async () => {
    const { chat, id } = await asked({ owner: 'ada', ownerName: 'ada@a' }, saying('yes'))
    value(await chat.change(id, { shared: true }))
    const [first] = value(await chat.get(id)).messages
    const fork = value(await chat.fork(id, first?.id ?? '', { owner: 'bob', ownerName: 'bob@a' }))
    expect(value(await chat.head(fork.id))).toMatchObject({ owner: 'bob', owner_name: 'bob@a' })
    expect(value(await chat.head(fork.id)).shared).toBeUndefined()
  })
})
