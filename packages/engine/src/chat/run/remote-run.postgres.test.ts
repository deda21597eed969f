import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { type EventStore, openStore, spaceSchema } from '@panoptes/engine/store'
import { Client } from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { usePostgres } from '../../../../../e2e/setup/shared-servers.ts'
import {
  asking,
  bareContext,
  collectEvents,
  type Script,
  scriptedRuntime,
  textOf,
  value,
} from '../chat.test-kit.ts'
import type { Chat } from '../chat.ts'
import { openChat } from '../open.ts'

const url = usePostgres()
let space = ''
let stores: EventStore[] = []
let chats: Chat[] = []

beforeEach(() => {
  space = `elsewhere-${randomUUID().slice(0, 8)}`
  stores = []
  chats = []
})

afterEach(async () => {
  await Promise.all(stores.map((store) => store.close()))
  await Promise.all(chats.map((chat) => chat.close()))
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query(`DROP SCHEMA ${spaceSchema(space)} CASCADE`)
  await client.end()
})

/** Simulates one of several processes by giving it its own store and chat. */
async function hub(script: Script): Promise<{ readonly store: EventStore; readonly chat: Chat }> {
  const store = value(await openStore({ kind: 'postgres', url, space }))
  const chat = openChat({
    conversations: store.conversations,
    adapters: [scriptedRuntime('jarvis', script).adapter],
    defaultRuntime: 'jarvis',
    build: bareContext,
    folder: '/tmp',
    budgetTokens: 32_000,
    approvalSeconds: 60,
  })
  stores.push(store)
  chats.push(chat)
  return { store, chat }
}

const words = Array.from({ length: 20 }, (_, n) => `${n} `)
const slowly: Script = async function* () {
  for (const delta of words) {
    yield { type: 'chunk', delta }
    await setTimeout(150)
  }
  yield { type: 'end', outcome: 'completed', continuity: {} }
}
const never: Script = async function* (_, { signal }) {
  yield { type: 'chunk', delta: 'so far' }
  await setTimeout(60_000, undefined, { signal }).catch(() => undefined)
  yield { type: 'end', outcome: 'completed', continuity: {} }
}

const permitted: Script = async function* (_, { ask }) {
  const choice = await ask({ label: 'May I?', choices: ['allow', 'deny'], detail: {} })
  yield { type: 'chunk', delta: `was told ${choice}` }
  yield { type: 'end', outcome: 'completed', continuity: {} }
}
const gone = { ok: false, code: 'not_found' }

/** Starts a run that asks for approval at once. `isStored` resolves when its question is stored, a second later. */
async function asked() {
  const [one, other] = await Promise.all([hub(permitted), hub(slowly)])
  const { id } = value(await one.chat.create({}))
  const events = collectEvents(await one.chat.chat(id, asking('may you?')))
  const run = value(await other.chat.get(id)).run_id ?? ''
  const request = `${run}-ask1`
  const stored = async () => value(await other.store.conversations.events(run))?.events
  const isStored = () => expect.poll(stored).toContain(request)
  return { one, other, id, events, request, isStored }
}

describe('run in another process', () => {
  it('is stopped from there once and has ended afterwards', async () => {
    const [one, other] = await Promise.all([hub(never), hub(slowly)])
    const { id } = value(await one.chat.create({}))
    expect(await other.chat.cancel(id)).toMatchObject(gone)
    const events = collectEvents(await one.chat.chat(id, asking('first')))
    const stopped = await Promise.all([other.chat.cancel(id), other.chat.cancel(id)])
    expect(stopped.map(value)).toEqual([null, null])
    expect(value(await other.chat.get(id))).toMatchObject({ run_id: null, last_status: 'cancelled' })
    const last = (await events).at(-1)
    expect(last).toMatchObject({ event: 'done', data: { outcome: 'cancelled' } })
    expect(await other.chat.cancel(id)).toMatchObject(gone)
    value(await one.chat.chat(id, asking('second')))
    // The next run looks for requests once a second, and must not find the one that stopped this run.
    await setTimeout(1_500)
    expect(value(await other.chat.get(id)).run_id).not.toBeNull()
  })

  it('is answered from there with one of the choices, even before its question is stored', async () => {
    const { other, id, events, request } = await asked()
    expect(await other.chat.answer(id, request, 'maybe')).toMatchObject({ ok: false, code: 'invalid' })
    expect(value(await other.chat.answer(id, request, 'allow'))).toBeNull()
    expect(textOf(await events)).toBe('was told allow')
    expect(await other.chat.answer(id, request, 'allow')).toMatchObject(gone)
  })

  it('takes the first of two answers, wherever they are given', async () => {
    const there = await asked()
    const [first, second] = await Promise.all(
      ['allow', 'deny'].map((choice) => there.other.chat.answer(there.id, there.request, choice)),
    )
    expect([first, second].filter((one) => one?.ok)).toHaveLength(1)
    expect(textOf(await there.events)).toBe(`was told ${first?.ok ? 'allow' : 'deny'}`)
    const both = await asked()
    await both.isStored()
    const late = both.other.chat.answer(both.id, both.request, 'allow')
    value(await both.one.chat.answer(both.id, both.request, 'deny'))
    expect(await late).toMatchObject(gone)
    expect(textOf(await both.events)).toBe('was told deny')
  })

  it('cannot be answered after it has ended or its process is gone', async () => {
    const { one, other, id, request, isStored } = await asked()
    await isStored()
    const late = other.chat.answer(id, request, 'allow')
    value(await one.chat.cancel(id))
    expect(await late).toMatchObject(gone)
    const again = await asked()
    await again.isStored()
    await again.one.store.close()
    expect(await again.other.chat.answer(again.id, again.request, 'allow')).toMatchObject(gone)
    expect(await again.other.chat.cancel(again.id)).toMatchObject(gone)
  })

  it('is streamed there from any position to its end, each event once', async () => {
    const [one, other] = await Promise.all([hub(slowly), hub(slowly)])
    const { id } = value(await one.chat.create({}))
    const here = collectEvents(await one.chat.chat(id, asking('count')))
    const run_id = value(await other.chat.get(id)).run_id
    const there = collectEvents(await other.chat.stream(id))
    const later = collectEvents(await other.chat.stream(id, `${run_id}:5`))
    const whole = await here
    expect(textOf(whole)).toBe(words.join(''))
    expect(await there).toEqual(whole)
    expect(await later).toEqual(whole.slice(5))
    expect(await collectEvents(await other.chat.stream(id))).toEqual(whole)
  })

  it('keeps its conversation busy for every process', async () => {
    const [one, other] = await Promise.all([hub(never), hub(slowly)])
    const { id } = value(await one.chat.create({}))
    value(await one.chat.chat(id, asking('first')))
    expect(await other.chat.chat(id, asking('second'))).toMatchObject({ ok: false, code: 'busy' })
  })

  it('ends for its readers when its process dies, and the conversation continues', async () => {
    const [one, other] = await Promise.all([hub(never), hub(slowly)])
    const { id } = value(await one.chat.create({}))
    value(await one.chat.chat(id, asking('first')))
    const there = collectEvents(await other.chat.stream(id))
    await expect.poll(async () => value(await other.chat.get(id)).messages[1]?.content).toBe('so far')
    await one.store.close()
    const events = await there
    expect(textOf(events)).toBe('so far')
    expect(events.at(-1)).toMatchObject({ event: 'error', data: { code: 'interrupted' } })
    expect(textOf(await collectEvents(await other.chat.chat(id, asking('second'))))).toBe(words.join(''))
  })
})
