import { openTeamSettings, type TeamSettings } from '@panoptes/engine/moa'
import { openTeam, type Team } from '@panoptes/engine/store'
import { type OwnDatabase, ownDatabase } from '@panoptes/engine/testing/database'
import { type ScriptedServer, startScripted } from '@panoptes/engine/testing/scripted-models'
import {
  config,
  type HealthCheck,
  type ListedPreset,
  type MoaTurn,
  type PresetsReply,
  type TurnDiff,
  type TurnReply,
} from '@panoptes/schema'
import { startTestHub, type TestHub } from '@panoptes/server/testing/hub'
import { unwrap } from '@panoptes/server/testing/server'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { moaOf, type OpenedMoa } from './open-moa.ts'

/** Changes reach other hubs after about one second, longer on a busy machine. */
const SOON = { timeout: 30_000, interval: 50 }
const SPACES = ['main', 'other'] as const
const slot = (model: string) => ({ provider: 'local', model })
const preset = { reference_models: [slot('a')], aggregator: slot('act') }

let scripted: ScriptedServer
let database: OwnDatabase
let hubs: readonly TestHub[] = []
let [member, stranger] = ['', '']
const admins = new Map<TestHub, string>()
const opened: { readonly space: string; readonly models: OpenedMoa }[] = []
const closing: { readonly team: Team; readonly settings: TeamSettings }[] = []

beforeAll(async () => {
  scripted = await startScripted()
  scripted.script('a', { text: 'some advice' })
  scripted.script('act', { text: 'the answer' })
  scripted.script('act2', { text: 'another answer' })
  database = await ownDatabase()
  const start = () =>
    startTestHub(
      {
        spaces: SPACES,
        site: async (space, store, paths) => {
          const team = unwrap(await openTeam({ url: database.url }))
          const settings = unwrap(await openTeamSettings(team))
          closing.push({ team, settings })
          const own = config.parse({
            providers: { local: { kind: 'openai', base_url: `${scripted.url}/v1`, retries: 0 } },
            moa: { trace_dir_max_mb: 0.05, presets: { base: preset } },
          })
          const models = moaOf({ paths, env: {}, config: own, host: 'hub', settings }, store, (events) =>
            store.append([...events]),
          )
          opened.push({ space, models })
          const { moa, moaService, providers } = models
          return { moa, moaService, providers }
        },
      },
      database,
    )
  hubs = [await start(), await start()]
  const [{ team, token }] = hubs as [TestHub]
  const person = async (email: string) => {
    const { id } = unwrap(await team.createUser({ email }))
    unwrap(await team.setRole(id, 'main', 'member'))
    return token({ space: 'main', userId: id })
  }
  member = await person('ada@a.test')
  stranger = await person('bob@a.test')
  for (const hub of hubs) admins.set(hub, await hub.ownToken('full'))
}, 60_000)
afterAll(async () => {
  for (const hub of hubs) await hub.stop()
  for (const { team, settings } of closing) {
    settings.stop()
    await team.close()
  }
  await database.drop()
  await scripted.close()
})

const [one, other] = [() => hubs[0] as TestHub, () => hubs[1] as TestHub]
const change = (hub: TestHub, method: string, path: string, body?: unknown) =>
  hub.request(`/api/moa/${path}`, admins.get(hub) ?? '', {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
const json = async <T>(hub: TestHub, path: string, secret = member): Promise<T> => {
  const reply = await hub.request(`/api/moa/${path}`, secret)
  expect(reply.status).toBe(200)
  return (await reply.json()) as T
}
const presetsAt = async (hub: TestHub): Promise<Record<string, ListedPreset['from']>> => {
  const { presets } = await json<PresetsReply>(hub, 'presets')
  return Object.fromEntries(presets.map(({ name, from }) => [name, from]))
}
const runAt = async (hub: TestHub, body: object, path = 'run') => {
  const reply = await hub.request(`/api/moa/${path}`, member, { method: 'POST', body: JSON.stringify(body) })
  return { status: reply.status, text: await reply.text() }
}
const roomsOf = (space: string) => opened.filter((each) => each.space === space)

it('shares a preset that was saved at one hub with every space of every hub', async () => {
  expect((await change(one(), 'PUT', 'presets/mine', preset)).status).toBe(200)
  expect(await presetsAt(one())).toEqual({ base: 'config', mine: 'team' })
  await expect.poll(() => presetsAt(other()), SOON).toEqual({ base: 'config', mine: 'team' })
  for (const { models } of opened)
    await expect.poll(() => Object.keys(models.moa.presets()), SOON).toEqual(['base', 'mine'])
  expect((await runAt(other(), { preset: 'mine', prompt: 'hello' })).text).toContain('the answer')
  expect((await change(other(), 'DELETE', 'presets/mine')).status).toBe(200)
  await expect.poll(() => presetsAt(one()), SOON).toEqual({ base: 'config' })
  expect((await change(one(), 'DELETE', 'presets/mine')).status).toBe(404)
})

it('shows and deletes presets right after another hub changed them', async () => {
  for (const name of ['m1', 'm2', 'm3']) {
    expect((await change(one(), 'PUT', `presets/${name}`, preset)).status).toBe(200)
    expect(await presetsAt(other())).toEqual({ base: 'config', [name]: 'team' })
    expect((await change(one(), 'PUT', `presets/${name}-2`, preset)).status).toBe(200)
    expect((await change(other(), 'DELETE', `presets/${name}-2`)).status).toBe(200)
    expect((await change(one(), 'DELETE', `presets/${name}`)).status).toBe(200)
  }
})

it('prefers a shared preset to one of the same name in config.yaml, which the API cannot delete', async () => {
  const [refused, unknown] = [
    await change(one(), 'DELETE', 'presets/base'),
    await change(one(), 'DELETE', 'presets/none'),
  ]
  expect([refused.status, unknown.status]).toEqual([400, 404])
  expect(await refused.text()).toContain('config.yaml of the hubs')
  const changed = { ...preset, aggregator: slot('act2') }
  expect(await (await change(one(), 'PUT', 'presets/base', changed)).json()).toMatchObject({ from: 'team' })
  await expect.poll(() => presetsAt(other()), SOON).toEqual({ base: 'team' })
  expect((await runAt(other(), { preset: 'base', prompt: 'hello' })).text).toContain('another answer')
  expect((await change(other(), 'DELETE', 'presets/base')).status).toBe(200)
  await expect.poll(() => presetsAt(one()), SOON).toEqual({ base: 'config' })
})

it('ignores a preset of another version that it cannot read, and keeps the others', async () => {
  const { team } = one()
  unwrap(await team.setSetting('moa.presets.odd', '{"mode":"of another version"}'))
  unwrap(await team.setSetting('moa.presets.broken', 'no JSON'))
  unwrap(await team.setSetting('another.setting', 'x'))
  unwrap(await team.setSetting('moa.presets.right', JSON.stringify(preset)))
  await expect.poll(() => presetsAt(other()), SOON).toEqual({ base: 'config', right: 'team' })
  for (const name of ['odd', 'broken', 'right']) unwrap(await team.setSetting(`moa.presets.${name}`, null))
  await expect.poll(() => presetsAt(other()), SOON).toEqual({ base: 'config' })
})

it('shares the switch for traces, and reads, compares and replays traces of another hub', async () => {
  expect((await change(one(), 'PUT', 'traces', { save: true })).status).toBe(200)
  const saves = async () => {
    const { save_traces, trace_dir } = await json<PresetsReply>(other(), 'presets')
    return { save_traces, trace_dir }
  }
  await expect.poll(saves, SOON).toEqual({ save_traces: true, trace_dir: null })
  await runAt(one(), { preset: 'base', prompt: 'is it safe?', session: 's1' })
  const ran = async () => (await json<{ turns: MoaTurn[] }>(one(), 'turns?session=s1')).turns[0]?.id
  const id = await ran()
  const read = await json<TurnReply>(other(), `turns/${id}`)
  expect(read.records).toMatchObject([
    { session_id: 's1', turn_id: id, aggregator: { output: 'the answer' } },
  ])
  expect((await json<TurnReply>(other(), `turns/${id}`, stranger)).records).toEqual([])
  expect((await runAt(other(), { turn: id, aggregator: 'local/act2' }, 'replay')).text).toContain('another')
  await json(other(), 'turns')
  const diff = await json<TurnDiff>(one(), `turns/${id}/diff`)
  expect(JSON.stringify(diff.answer)).toContain('another')
  expect((await change(other(), 'PUT', 'traces', { save: false })).status).toBe(200)
  await expect.poll(async () => (await json<PresetsReply>(one(), 'presets')).save_traces, SOON).toBe(false)
  await runAt(one(), { preset: 'base', prompt: 'not this', session: 's2' })
  const [unwritten] = (await json<{ turns: MoaTurn[] }>(one(), 'turns?session=s2')).turns
  expect(unwritten?.traced).toBe(false)
  const refused = await runAt(other(), { turn: unwritten?.id }, 'replay')
  expect(refused).toMatchObject({ status: 400, text: expect.stringContaining('An admin of the space main') })
})

it('writes no traces of sessions that another hub forgot, and keeps the traces of a space within their limit', async () => {
  await change(one(), 'PUT', 'traces', { save: true })
  await expect.poll(async () => (await json<PresetsReply>(other(), 'presets')).save_traces, SOON).toBe(true)
  for (let n = 0; n < 6; n += 1)
    await runAt(n % 2 === 0 ? one() : other(), {
      preset: 'base',
      prompt: `${n}`.repeat(8_000),
      session: `n${n}`,
    })
  for (const hub of hubs) await json(hub, 'turns')
  const checks = async (): Promise<HealthCheck[]> =>
    (await Promise.all(roomsOf('main').map(({ models }) => models.checks()))).flat()
  expect(await checks()).toMatchObject([
    { state: 'ok', detail: expect.stringContaining('Written to the store, 1 of at most 0.05 MB') },
    { state: 'ok' },
  ])
  expect((await checks()).map(({ detail }) => detail).join()).toMatch(/old lines? removed to make room/)
  const { traces } = one().store('main')
  expect(unwrap((await traces?.bytes()) ?? { ok: true, value: 0 })).toBeLessThanOrEqual(0.05 * 1_048_576)
  const kept = async () => (await json<{ turns: MoaTurn[] }>(other(), 'turns?session=n5')).turns[0]?.id
  const id = await kept()
  expect((await json<TurnReply>(one(), `turns/${id}`)).records).toHaveLength(1)
  const [{ models }] = roomsOf('main') as [(typeof opened)[number]]
  const gone = [{ source: 'panoptes', id: 'n5' }]
  expect(await models.forgetter(gone)).toEqual({
    ok: true,
    value: [{ from: 'moa-traces', what: 'lines', count: 1 }],
  })
  expect((await json<TurnReply>(other(), `turns/${id}`)).records).toEqual([])
  const left = await database.ask(
    `SELECT count(*)::int AS n FROM space_main.trace_lines WHERE session_id = 'n5'`,
  )
  expect(left).toEqual([{ n: 0 }])
})
