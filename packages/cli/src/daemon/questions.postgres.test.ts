import { type ScriptedServer, startScripted } from '@panoptes/engine/testing/scripted-models'
import { config, type MoaRunPart, type MoaTurn, type TurnReply } from '@panoptes/schema'
import { startTestHub, type TestHub } from '@panoptes/server/testing/hub'
import { unwrap } from '@panoptes/server/testing/server'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { withLocalClient } from '../commands/moa/access.ts'
import type { Context } from '../context.ts'
import { moaOf } from './open-moa.ts'

/** Appears only in the questions of ada and the machine and in their answers. */
const MARK = 'quokka'
const slot = (model: string) => ({ provider: 'local', model })
let scripted: ScriptedServer
let kit: TestHub
const secrets = { ada: '', adaGateway: '', bob: '', boss: '', machine: '', home: '' }
type Who = keyof typeof secrets

beforeAll(async () => {
  scripted = await startScripted()
  const own = config.parse({
    providers: { local: { kind: 'openai', base_url: `${scripted.url}/v1`, retries: 0 } },
    moa: {
      save_traces: true,
      presets: { p: { reference_models: [slot('a')], aggregator: slot('act') } },
    },
  })
  kit = await startTestHub({
    spaces: ['main'],
    site: (_space, store, paths) => {
      const { moa, moaService, providers } = moaOf(
        { paths, env: {}, config: own, host: 'hub' },
        store,
        (events) => store.append([...events]),
      )
      return { moa, moaService, providers }
    },
  })
  const person = async (name: 'ada' | 'bob' | 'boss', role: 'viewer' | 'member' | 'admin') => {
    const { id } = unwrap(await kit.team.createUser({ email: `${name}@a.test` }))
    unwrap(await kit.team.setRole(id, 'main', role))
    secrets[name] = await kit.token({ space: 'main', userId: id, role: 'admin' })
    return id
  }
  const ada = await person('ada', 'member')
  secrets.adaGateway = await kit.token({ space: 'main', userId: ada, role: 'member', scope: 'gateway' })
  await person('bob', 'viewer')
  await person('boss', 'admin')
  secrets.machine = await kit.token({ space: 'main', role: 'member' })
  secrets.home = await kit.ownToken('full')
})
afterAll(async () => {
  await kit.stop()
  await scripted.close()
})

const ask = (who: Who, path: string, body?: unknown) =>
  kit.request(path, secrets[who], body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) })
const listed = async (who: Who) => {
  const text = await (await ask(who, '/api/moa/turns')).text()
  return { text, turns: (JSON.parse(text) as { turns: MoaTurn[] }).turns }
}
const say = () => {
  scripted.script('a', { text: `advice about the ${MARK}` })
  scripted.script('act', { text: `The ${MARK} says yes.` })
}
const overGateway = async (who: Who) => {
  const asked = { model: 'moa/p', messages: [{ role: 'user', content: `Where is the ${MARK} of ${who}?` }] }
  const answer = await ask(who, '/v1/chat/completions', asked)
  expect(await answer.text()).toContain(MARK)
}
const run = async (who: Who, path: string, body: object) => {
  const lines = (await (await ask(who, path, body)).text()).trim().split('\n')
  return lines.map((line) => JSON.parse(line) as MoaRunPart)
}

it('shows questions of the gateway and of runs only to the person who asked', async () => {
  say()
  const stream = await kit.stream(secrets.bob)
  await stream.until((frames) => frames.length > 0)
  await overGateway('adaGateway')
  await run('ada', '/api/moa/run', { preset: 'p', prompt: `And the ${MARK}?` })
  const own = await listed('ada')
  expect(own.turns.map(({ question }) => question)).toEqual([
    `And the ${MARK}?`,
    `Where is the ${MARK} of adaGateway?`,
  ])
  for (const { id } of own.turns) {
    const { records, analysis } = (await (await ask('ada', `/api/moa/turns/${id}`)).json()) as TurnReply
    expect(JSON.stringify(records)).toContain(MARK)
    expect(analysis).not.toBeNull()
  }
  for (const who of ['bob', 'boss', 'machine', 'home'] as const) {
    const { text, turns } = await listed(who)
    expect(text).not.toContain(MARK)
    expect(turns).toMatchObject([
      { preset: 'p', question: '', traced: false, of_other: true, status: 'done' },
      { preset: 'p', from: 'gateway', of_other: true },
    ])
    expect(turns[0]).not.toHaveProperty('owner')
    expect(turns[0]?.slots.map(({ model, usage }) => [model, usage === null])).toEqual([
      ['a', false],
      ['act', false],
    ])
    const [one, other] = turns.map(({ id }) => id)
    const whole = await (await ask(who, `/api/moa/turns/${one}`)).text()
    expect(JSON.parse(whole)).toMatchObject({ records: [], analysis: null })
    const compared = await (await ask(who, `/api/moa/turns/${one}/diff?with=${other}`)).text()
    expect(whole + compared).not.toContain(MARK)
  }
  await stream.until((frames) => JSON.stringify(frames).split('agent_done').length > 4)
  expect(JSON.stringify(stream.frames)).toContain('moa/p')
  expect(JSON.stringify(stream.frames)).not.toContain(MARK)
  expect(await (await ask('bob', '/api/agents')).text()).not.toContain(MARK)
  stream.ws.terminate()
})

it('replays a turn only for its owner, and keeps the replay private', async () => {
  say()
  await run('ada', '/api/moa/run', { preset: 'p', prompt: `Again the ${MARK}?` })
  const [turn] = (await listed('ada')).turns
  const refused = await ask('boss', '/api/moa/replay', { turn: turn?.id })
  expect(refused.status).toBe(400)
  expect(await refused.text()).toMatch(/belongs to someone else/)
  await run('ada', '/api/moa/replay', { turn: turn?.id })
  const { text, turns } = await listed('boss')
  expect(turns[0]).toMatchObject({ from: 'replay', of_other: true })
  const seen = await (await ask('boss', `/api/moa/turns/${turn?.id}`)).text()
  expect(text + seen).not.toContain(MARK)
  const whole = (await (await ask('ada', `/api/moa/turns/${turn?.id}`)).json()) as TurnReply
  expect(whole.replays.map(({ question }) => question)).toEqual([`Again the ${MARK}?`])
})

it('hides from others what a model says when it refuses a question', async () => {
  say()
  scripted.script('act', {
    status: 400,
    body: JSON.stringify({ error: { message: `no word of the ${MARK}` } }),
  })
  const stream = await kit.stream(secrets.bob)
  await stream.until((frames) => frames.length > 0)
  await run('ada', '/api/moa/run', { preset: 'p', prompt: `The ${MARK}!` })
  expect((await listed('ada')).turns[0]?.slots[1]?.error?.message).toContain(MARK)
  const { text, turns } = await listed('bob')
  expect(turns[0]?.slots[1]?.error).toEqual({ class: 'invalid', message: '' })
  await stream.until((frames) => JSON.stringify(frames).includes('"error":"invalid"'))
  expect(text + JSON.stringify(stream.frames)).not.toContain(MARK)
  stream.ws.terminate()
})

it('shows the questions of a machine token only to that token', async () => {
  say()
  await overGateway('machine')
  expect((await listed('machine')).turns[0]?.question).toBe(`Where is the ${MARK} of machine?`)
  for (const who of ['bob', 'boss', 'home'] as const) expect((await listed(who)).text).not.toContain(MARK)
  expect((await listed('ada')).text).not.toContain(`${MARK} of machine`)
})

it('shares no advice between people whose sessions have the same name and question', async () => {
  say()
  const before = scripted.requests.filter(({ body }) => body.model === 'a').length
  const asked = { model: 'moa/p', messages: [{ role: 'user', content: 'the same' }] }
  scripted.script('act', { calls: [{ id: 'c', name: 'run', input: {} }] })
  for (const who of ['ada', 'machine'] as const) {
    const answer = await kit.request('/v1/chat/completions', secrets[who], {
      method: 'POST',
      body: JSON.stringify(asked),
      headers: { 'x-panoptes-session-id': 'one-name' },
    })
    expect(answer.status).toBe(200)
    await answer.text()
  }
  expect(scripted.requests.filter(({ body }) => body.model === 'a').length - before).toBe(2)
  const ids = (await listed('ada')).turns.slice(0, 2).map(({ id }) => id)
  expect(new Set(ids).size).toBe(2)
  const written = await kit.store('main').traces?.read({ session: 'one-name', most: 9, mostBytes: 1e6 })
  expect(written).toMatchObject({
    ok: true,
    value: { lines: [expect.stringContaining('the same'), expect.anything()] },
  })
})

it('hides the questions of other people from a command that opens the database directly', async () => {
  say()
  await run('ada', '/api/moa/run', { preset: 'p', prompt: `Once more the ${MARK}?` })
  await run('home', '/api/moa/run', { preset: 'p', prompt: 'of this home' })
  await listed('home')
  const env = { PANOPTES_LEDGER: kit.database.url }
  const context = { paths: kit.paths, env, output: { note: () => undefined } } as unknown as Context
  const { turns } = await withLocalClient(context, 'read', (moa) => moa.turns({ limit: 50, offset: 0 }))
  expect(turns[0]?.question).toBe('of this home')
  expect(turns[1]).toMatchObject({ question: '', of_other: true })
  expect(JSON.stringify(turns)).not.toContain(MARK)
})
