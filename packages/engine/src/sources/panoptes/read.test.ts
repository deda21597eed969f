import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { agentsOf, all, find, listed, messagesOf, read, sessionOf } from '../conformance/records.ts'
import { panoptesSource } from './index.ts'
import { type ConversationStore, headOf, makeStore } from './panoptes.test-kit.ts'

let folder: string
let store: ConversationStore
const source = () => panoptesSource(join(folder, 'ledger.db'))

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'panoptes-own-'))
  store = makeStore(join(folder, 'ledger.db'))
})
afterEach(() => {
  store.db.close()
  rmSync(folder, { recursive: true, force: true })
})

const USAGE = { input: 100, output: 20, cache_read: 5 }

describe('reading a conversation', () => {
  it("counts Jarvis's usage and nothing of runtimes counted in their own sessions", async () => {
    store.conversation('c', { title: 'Tides' })
    store.message('c', { content: 'when is high tide?' })
    const jarvis = { role: 'assistant', runtime: 'jarvis', model: 'small' } as const
    store.message('c', { ...jarvis, content: 'at noon', usage: USAGE, cost_micro_usd: 7 })
    for (const runtime of ['hermes', 'acp:claude'])
      store.message('c', {
        role: 'assistant',
        runtime,
        model: 'large',
        content: 'no',
        usage: USAGE,
        cost_micro_usd: 9,
      })
    const records = await read(source(), await find(source(), 'c'))
    expect(
      messagesOf(records).map(({ usage, model, cost_micro_usd }) => [usage?.input, model, cost_micro_usd]),
    ).toEqual([
      [undefined, null, null],
      [100, 'small', 7],
      [undefined, null, null],
      [undefined, null, null],
    ])
    expect(messagesOf(records)[1]?.usage).toMatchObject({ output: 20, cache_read: 5, cache_write: null })
    expect(sessionOf(records)).toMatchObject({
      source: 'panoptes',
      title: 'Tides',
      model: 'large',
      lineage: 'root',
    })
  })

  it('puts tool calls and their results before the answer', async () => {
    store.conversation('c')
    const data = [
      { name: 'search', input: { text: 'tide' }, output: 'noon', ok: true },
      { name: 'fetch', input: {}, output: { status: 404 }, ok: false },
      { name: 'wait', input: {} },
      { input: {} },
    ]
    const id = store.message('c', {
      role: 'assistant',
      content: 'at noon',
      runtime: 'hermes',
      attachments: [
        { runtime: 'hermes', kind: 'tools', data },
        { runtime: 'hermes', kind: 'diff', data: 'x' },
        { runtime: 'hermes', kind: 'tools', data: 'nothing of the kind' },
      ],
    })
    const [message] = messagesOf(await read(source(), await find(source(), 'c')))
    expect(message?.content).toEqual([
      { type: 'tool_call', id: `${id}:0`, tool: 'search', input: { text: 'tide' } },
      { type: 'tool_result', id: `${id}:0`, ok: true, text: 'noon', duration_ms: null },
      { type: 'tool_call', id: `${id}:1`, tool: 'fetch', input: {} },
      { type: 'tool_result', id: `${id}:1`, ok: false, text: '{"status":404}', duration_ms: null },
      { type: 'tool_call', id: `${id}:2`, tool: 'wait', input: {} },
      { type: 'text', text: 'at noon' },
    ])
  })

  it('splits the usage of an answer among the agents that worked on it', async () => {
    store.conversation('c')
    const agent = (id: string, input: number, cost_micro_usd: number) => ({
      id,
      subagent_type: 'reference',
      model: `m-${id}`,
      usage: { input },
      cost_micro_usd,
      text: 'my advice',
    })
    store.message('c', {
      role: 'assistant',
      runtime: 'jarvis',
      model: 'acting',
      content: 'at noon',
      usage: USAGE,
      cost_micro_usd: 50,
      attachments: [
        { runtime: 'jarvis', kind: 'agents', data: [agent('ref-1', 30, 10), agent('ref-2', 40, 15)] },
      ],
    })
    const records = await read(source(), await find(source(), 'c'))
    expect([...agentsOf(records).keys()]).toEqual(['main', 'ref-1', 'ref-2'])
    expect(
      messagesOf(records).map((each) => [each.agent_id, each.model, each.usage?.input, each.cost_micro_usd]),
    ).toEqual([
      ['ref-1', 'm-ref-1', 30, 10],
      ['ref-2', 'm-ref-2', 40, 15],
      ['main', 'acting', 30, 25],
    ])
  })

  it('reports an answer when it ended, and the usage of a failed one', async () => {
    store.conversation('c', { run_id: 'run-2' })
    store.message('c', { content: 'and now?' })
    store.message('c', {
      role: 'assistant',
      status: 'failed',
      runtime: 'jarvis',
      run_id: 'run-1',
      usage: USAGE,
    })
    store.message('c', { content: 'again' })
    store.message('c', {
      role: 'assistant',
      status: 'partial',
      content: 'it is',
      runtime: 'jarvis',
      run_id: 'run-2',
    })
    const before = await find(source(), 'c')
    const texts = async () =>
      messagesOf(await read(source(), await find(source(), 'c'))).map(({ content }) =>
        content.map((each) => each.text).join(),
      )
    expect(await texts()).toEqual(['and now?', '', 'again'])
    store.db.prepare('UPDATE conversations SET doc = ? WHERE id = ?').run(JSON.stringify(headOf('c')), 'c')
    expect((await find(source(), 'c')).fingerprint).not.toBe(before.fingerprint)
    expect(await texts()).toEqual(['and now?', '', 'again', 'it is'])
  })

  it('leaves out what a fork copied from the earlier conversation', async () => {
    store.conversation('chat-b', { forked_from: { id: 'chat-a', message_id: 'm' } })
    store.message('chat-b', { id: 'chat-b-1', content: 'asked before' })
    store.message('chat-b', { content: 'asked here' })
    const records = await read(source(), await find(source(), 'chat-b'))
    expect(messagesOf(records).map(({ content }) => content[0]?.text)).toEqual(['asked here'])
    expect(sessionOf(records)).toMatchObject({ parent_id: 'chat-a', lineage: 'branch' })
    expect(records.filter(({ kind }) => kind === 'skipped')).toMatchObject([
      { reason: 'has 1 message of the session it was forked from' },
    ])
  })

  it('finds messages by id, including replaced ones', async () => {
    store.conversation('c')
    const [first, second] = [store.message('c', { content: 'one' }), store.message('c', { content: 'two' })]
    store.db.exec(
      `INSERT INTO chat_replaced (id, conversation, at, doc) SELECT 'old', 'c', 2, json_set(doc, '$.id', 'old') FROM chat_messages LIMIT 1`,
    )
    const one = await find(source(), 'c')
    const found = await source().find?.(one, [second, 'none', first, 'old'])
    expect(found?.map(({ id, state }) => [id, state])).toEqual([
      [second, 'active'],
      [first, 'active'],
      ['old', 'rewound'],
    ])
    const messages = messagesOf(await read(source(), one))
    expect(messages.map(({ id }) => id)).toEqual([first, 'old', second])
  })
})

it('has no sessions in a store of a version before conversations', async () => {
  store.db.exec('DROP TABLE chat_replaced')
  expect(await listed(source())).toEqual([])
  expect(await all(source().list())).toEqual([])
})
