import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { resolvePaths } from '@panoptes/engine/home'
import { type EventStore, openStore, openTeam, type Team } from '@panoptes/engine/store'
import { type OwnDatabase, ownDatabase } from '@panoptes/engine/testing/database'
import { unwrap } from '@panoptes/server/testing/server'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Context } from '../context.ts'
import { backup } from './backup.ts'
import { setConfig } from './config.ts'
import { traces } from './moa/traces.ts'
import { createToken, freeComputer } from './team/tokens.ts'

let folder: string
let database: OwnDatabase
let team: Team
let store: EventStore

beforeAll(async () => {
  database = await ownDatabase()
  folder = await mkdtemp(join(tmpdir(), 'panoptes-on-hub-'))
  team = unwrap(await openTeam({ url: database.url }))
  store = unwrap(await openStore({ kind: 'postgres', url: database.url, space: 'main' }))
})
afterAll(async () => {
  await store.close()
  await team.close()
  await database.drop()
  await rm(folder, { recursive: true, force: true })
})

/** Runs a command on the computer of a stopped hub and returns its answer and notes. */
async function run(command: (context: Context) => Promise<void>) {
  const notes: string[] = []
  let answer: Record<string, unknown> = {}
  const output = {
    paint: {},
    note: (line: string) => notes.push(line),
    progress: () => undefined,
    answer: (_: readonly string[], told: Record<string, unknown>) => {
      answer = told
    },
  }
  const paths = resolvePaths({ PANOPTES_HOME: folder })
  await command({ paths, env: { PANOPTES_LEDGER: database.url }, output } as unknown as Context)
  return { notes, answer }
}

it('hides a trace whose turn is missing', async () => {
  const bounds = { ofSession: 1_000_000, ofAll: 1_000_000 }
  const slot = { label: 'a', model: 'a', provider: 'local', temperature: null, input_messages: [] }
  const times = { started_at: 1, first_token_at: null, ended_at: 2 }
  const took = { ...times, output: 'words', usage: {}, cost_usd: null, error: null }
  const record = {
    ts: 1,
    session_id: 's1',
    preset: 'mine',
    references: [],
    aggregator: { ...slot, ...took, streamed: false, output_location: 'inline' },
    turn_id: 'gone',
    iteration: 0,
    status: 'done',
  }
  await store.traces?.put({ session: 's1', turn: 'gone', json: JSON.stringify(record) }, bounds)
  const { answer, notes } = await run((context) => traces(context, 's1', { limit: 10 }))
  expect(answer).toMatchObject({ ok: true, records: [], unreadable: 0 })
  expect(notes).toContain('1 line hidden: private to the people who asked')
})

it('uses the trace setting of the team, even while no hub runs', async () => {
  const saves = async () =>
    (await run((context) => traces(context, undefined, { limit: 10 }))).answer.save_traces
  expect(await saves()).toBe(false)
  unwrap(await team.setSetting('moa.save_traces', 'true'))
  expect(await saves()).toBe(true)
  const { notes } = await run((context) => setConfig(context, 'moa.save_traces', 'false'))
  expect(notes.join()).toContain('overrides this setting')
  expect(await saves()).toBe(true)
})

it('releases a computer from its token by name, and records it in the audit log', async () => {
  const { answer } = await run((context) =>
    createToken(context, { label: 'fleet', scope: 'ingest', role: 'member' }),
  )
  const { id: tokenId } = answer.about as { id: string }
  unwrap(await team.claimUploader({ space: 'main', uploader: 'desk', tokenId, take: true }))
  expect((await run((context) => freeComputer(context, 'desk', {}))).answer).toMatchObject({ homes: 1 })
  await expect(run((context) => freeComputer(context, 'desk', {}))).rejects.toThrow(
    'is bound to the computer desk',
  )
  const { entries } = unwrap(await team.audit({ space: 'main', limit: 1 }))
  expect(entries[0]).toMatchObject({ action: 'tokens.free', target: 'desk', outcome: 'done' })
})

it('makes a backup even if the audit log is not writable', async () => {
  await database.ask('ALTER TABLE panoptes_team.audit RENAME TO away')
  const { answer, notes } = await run((context) => backup(context, join(folder, 'copy'), {}))
  expect(answer).toMatchObject({ ok: true })
  expect(notes.join()).toContain('The backup succeeded, but could not be recorded in the audit log: ')
  await database.ask('ALTER TABLE panoptes_team.away RENAME TO audit')
})
