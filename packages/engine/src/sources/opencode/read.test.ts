import { message, session } from '@panoptes/schema'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { expectWhole, find, listed, messagesOf, read, sessionOf } from '../conformance/records.ts'
import { openCodeSource } from './index.ts'
import { addPrompt, BEGUN, makeStore, readOne, tempHome } from './opencode.test-kit.ts'

it('makes a reply of each step of a message and counts each separately', async () => {
  const home = tempHome()
  const store = makeStore(home)
  store.session({ id: 's' })
  const tool = (callID: string) => ({
    type: 'tool',
    tool: 'bash',
    callID,
    state: { status: 'completed', input: {}, output: 'out', metadata: { exit: callID === 'b' ? 1 : 0 } },
  })
  const finish = (input: number) => ({
    type: 'step-finish',
    cost: input / 1_000,
    tokens: { input, output: 2, reasoning: 0, cache: { read: 0, write: 3 } },
  })
  store.message('s', { role: 'assistant', modelID: 'm', tokens: { input: 30, output: 2 } }, [
    { type: 'step-start' },
    tool('a'),
    finish(10),
    tool('b'),
    finish(20),
    { type: 'text', text: 'end' },
    finish(30),
  ])
  const messages = messagesOf(await readOne(home, 's'))
  expect(messages.map(({ role, usage }) => [role, usage?.input])).toEqual([
    ['assistant', 10],
    ['tool', undefined],
    ['assistant', 20],
    ['tool', undefined],
    ['assistant', 30],
  ])
  expect(new Set(messages.map(({ id }) => id)).size).toBe(5)
  expect(messages[3]?.content).toMatchObject([{ id: 'b', ok: false }])
  expect(messages[0]).toMatchObject({ usage: { cache_write: 3 }, cost_micro_usd: 10_000 })
})

it('separates additions to a prompt and reads files, summaries and reverts', async () => {
  const home = tempHome()
  const store = makeStore(home)
  store.session({ id: 's', revert: JSON.stringify({ messageID: 'm000000008' }) })
  store.message('s', { role: 'user' }, [
    { type: 'text', text: 'see this' },
    { type: 'text', text: 'Called the Read tool', synthetic: true },
    { type: 'file', mime: 'image/png', url: 'data:image/png;base64,AAAA' },
    { type: 'file', mime: 'text/plain', filename: 'a.txt', url: 'file:///a.txt' },
  ])
  store.message('s', { role: 'assistant', summary: true }, [{ type: 'text', text: 'so far' }])
  const taken = addPrompt(store, 's', 'never mind')
  expect(taken).toBe('m000000008')
  store.message('s', { role: 'assistant', error: { name: 'APIError', data: { message: 'too much' } } })
  expect(messagesOf(await readOne(home, 's'))).toMatchObject([
    { hidden: false, content: [{ text: 'see this' }, { type: 'image', data: 'AAAA' }, { text: 'a.txt' }] },
    { hidden: true, content: [{ text: 'Called the Read tool' }] },
    { state: 'summary' },
    { state: 'rewound', content: [{ text: 'never mind' }] },
    { state: 'rewound', role: 'system', content: [{ text: 'APIError: too much' }] },
  ])
})

it('leaves the usage of an unfinished reply unknown', async () => {
  const home = tempHome()
  const store = makeStore(home)
  store.session({ id: 's' })
  const none = { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } }
  store.message('s', { role: 'assistant', modelID: 'm', cost: 0, tokens: none }, [
    { type: 'text', text: 'so' },
    { type: 'tool', tool: 'bash', callID: 'c', state: { status: 'running', input: { command: 'ls' } } },
  ])
  const messages = messagesOf(await readOne(home, 's'))
  expect(messages).toMatchObject([{ usage: null, content: [{ text: 'so' }, { tool: 'bash' }] }])
  expect(messages[0]?.cost_micro_usd).toBeUndefined()
})

it('detects a change in a part of the newest message', async () => {
  const home = tempHome()
  const store = makeStore(home)
  store.session({ id: 's' })
  addPrompt(store, 's', 'go')
  const source = openCodeSource(home)
  const before = (await find(source, 's')).fingerprint
  store.db.exec(`UPDATE part SET data = '{"type":"text","text":"go on"}', time_updated = time_updated + 5`)
  expect((await find(source, 's')).fingerprint).not.toBe(before)
})

it('nests sessions of sessions, changes with them, and lists orphans separately', async () => {
  const home = tempHome()
  const store = makeStore(home)
  store.session({ id: 'top', title: 'Top' })
  store.session({ id: 'child', parent_id: 'top', title: 'dig (@explore subagent)' })
  store.session({ id: 'deep', parent_id: 'child' })
  store.session({ id: 'lost', parent_id: 'nobody' })
  store.session({ id: 'round', parent_id: 'round' })
  for (const id of ['top', 'child', 'deep', 'lost', 'round']) addPrompt(store, id, id)
  const source = openCodeSource(home)
  expect((await listed(source)).map(({ id }) => id).sort()).toEqual(['lost', 'round', 'top'])
  const records = await readOne(home, 'top')
  expect(records.flatMap((record) => (record.kind === 'agent' ? [record.agent] : []))).toMatchObject([
    { id: 'main' },
    { id: 'child', parent_id: 'main', subagent_type: 'explore', description: 'dig' },
    { id: 'deep', parent_id: 'child' },
  ])
  expect(messagesOf(records).map(({ agent_id }) => agent_id)).toEqual(['main', 'child', 'deep'])
  expect(sessionOf(await readOne(home, 'lost'))).toMatchObject({ lineage: 'subagent', title: 'lost' })
  const before = await find(source, 'top')
  addPrompt(store, 'deep', 'more')
  expect((await find(source, 'top')).fingerprint).not.toBe(before.fingerprint)
})

it('reads the databases of preview versions', async () => {
  const home = tempHome()
  for (const [name, id] of [
    ['opencode.db', 'a'],
    ['opencode-beta.db', 'b'],
    ['other.db', 'c'],
  ] as const) {
    const store = makeStore(home, name)
    store.session({ id })
    addPrompt(store, id, id)
  }
  expect((await listed(openCodeSource(home))).map(({ id }) => id)).toEqual(['a', 'b'])
  expect(messagesOf(await readOne(home, 'b'))).toHaveLength(1)
})

it('reports unknown content and continues', async () => {
  const home = tempHome()
  const store = makeStore(home)
  store.session({ id: 's' })
  store.message('s', { role: 'oracle' })
  store.message('s', { role: 'user' }, [{ type: 'riddle' }], { data: 'not json' })
  store.message('s', { role: 'assistant' }, [{ type: 'riddle' }, { type: 'text', text: 'b' }])
  addPrompt(store, 's', 'c')
  const records = await readOne(home, 's')
  expect(messagesOf(records)).toHaveLength(2)
  expect(records.filter(({ kind }) => kind === 'skipped')).toHaveLength(3)
})

const json = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom('text', 'tool', 'file', 'user', 'assistant', 'completed', { status: 'error' }),
)
const fields = fc.dictionary(
  fc.constantFrom('type', 'role', 'text', 'state', 'tokens', 'time', 'url', 'mime', 'error', 'cost', 'model'),
  json,
)

it('survives arbitrary database content', async () => {
  const home = tempHome()
  const store = makeStore(home)
  const source = openCodeSource(home)
  let made = 0
  await fc.assert(
    fc.asyncProperty(fields, fc.array(fields, { maxLength: 4 }), json, async (data, parts, revert) => {
      made += 1
      const id = `s${made}`
      store.session({ id, revert: JSON.stringify(revert), time_updated: BEGUN + made })
      store.message(id, data, parts)
      const one = await find(source, id)
      const records = await read(source, one)
      expectWhole(records, one)
      for (const each of messagesOf(records)) message.parse(each)
      session.parse(sessionOf(records))
    }),
    { numRuns: 100 },
  )
})
