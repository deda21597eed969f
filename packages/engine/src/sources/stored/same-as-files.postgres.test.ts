import { randomUUID } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { openAchievements } from '@panoptes/engine/achievements'
import { resolvePaths } from '@panoptes/engine/home'
import { type LedgerPlace, openLedger, openTranscripts, schemaOf } from '@panoptes/engine/ledger'
import { openReview } from '@panoptes/engine/review'
import { openSessions } from '@panoptes/engine/sessions'
import { copySessions, openSources, receiverOf } from '@panoptes/engine/sources'
import { config, type Result } from '@panoptes/schema'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { generateHermesState } from '../../../../../fixtures/hermes/generator/index.ts'
import { openSourceHistory } from '../../achievements/source-history.ts'

const FIXTURES = fileURLToPath(new URL('../../../../../fixtures/', import.meta.url))
const ZONE = 'UTC'
const AT = Date.UTC(2026, 11, 1)

const value = <T>(result: Result<T>): T => {
  if (!result.ok) throw new Error(result.message)
  return result.value
}

interface Fixture {
  readonly make: (home: string) => void
  /** Words that are said there. */
  readonly words: readonly string[]
}

const sources: Readonly<Record<string, Fixture>> = {
  'claude-code': {
    make: (home) =>
      cpSync(join(FIXTURES, 'claude-code', 'transcripts'), join(home, '.claude', 'projects'), {
        recursive: true,
      }),
    words: ['file', 'the', 'agent'],
  },
  codex: {
    make: (home) => {
      for (const version of ['0.98.0', '0.145.0', '0.166.0', '0.166.0-agents-v2'])
        cpSync(join(FIXTURES, 'codex', version), join(home, '.codex'), { recursive: true })
    },
    words: ['file', 'the', 'agent'],
  },
  opencode: {
    make: (home) => {
      const folder = join(home, '.local', 'share', 'opencode')
      mkdirSync(folder, { recursive: true })
      const db = new DatabaseSync(join(folder, 'opencode.db'), { enableForeignKeyConstraints: false })
      for (const name of ['schema.sql', 'recording.sql'])
        db.exec(readFileSync(join(FIXTURES, 'opencode', name), 'utf8'))
      db.close()
    },
    words: ['file', 'the', 'agent'],
  },
  hermes: {
    make: (home) => {
      const folder = join(home, '.hermes')
      mkdirSync(folder, { recursive: true })
      generateHermesState({
        file: join(folder, 'state.db'),
        sessions: 60,
        messages: 20,
        seed: 11,
        promptBytes: 500,
      })
    },
    words: ['error', 'test', 'the'],
  },
}

const url = inject('postgres')
const client = new Client({ connectionString: url })
let home = ''
let space = ''

beforeAll(() => client.connect())
afterAll(() => client.end())
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'panoptes-same-'))
  space = `s${randomUUID().slice(0, 18)}`
})
afterEach(async () => {
  await client.query(`DROP SCHEMA IF EXISTS ${schemaOf(space)} CASCADE`)
  rmSync(home, { recursive: true, force: true })
})

const environment = () => ({ HOME: home, PANOPTES_HOME: join(home, 'kept') })

async function copyAll(): Promise<void> {
  const transcripts = value(await openTranscripts({ url, schema: schemaOf(space) }))
  const copy = copySessions({ env: environment(), receiver: receiverOf(transcripts, 'mast') })
  value(await copy.refresh())
  expect(copy.status()).toMatchObject({ waiting: 0, problem: null })
  await copy.close()
  await transcripts.close()
}

/** All that rooms tell of the sessions that they find by a ledger. */
async function toldBy(place: LedgerPlace, words: readonly string[]) {
  const env = environment()
  // Nothing but the place says where to read.
  const paths = resolvePaths({ ...env, PANOPTES_HOME: join(home, place.kind) })
  const ledger = value(await openLedger(place))
  const sessions = value(await openSessions({ file: paths.index, env, place, marked: ledger.marked }))
  const forgotten = value(await ledger.forgetting.forgotten())
  const achievements = openAchievements({
    achieved: ledger.achieved,
    forgotten,
    folder: paths.achievements,
    env,
    place,
    zone: ZONE,
  })
  const review = value(
    await openReview({ ledger, config: config.parse({}), paths, env, place, zone: ZONE, now: () => AT }),
  )
  try {
    sessions.follow()
    value(await sessions.refresh())
    value(await review.refresh())
    const listed = value(await sessions.list({ limit: 1_000 }))
    const each = []
    for (const { source, id } of listed) {
      const { messages, ...about } = value(await sessions.transcript({ source, id, from: 0, limit: 200 }))
      const outline = value(await sessions.outline({ source, id }))
      each.push({ id, messages, about, outline })
    }
    const found = []
    for (const text of words) found.push(value(await sessions.search({ text, limit: 50 })))
    const page = { limit: 1_000, all: true }
    const amounted = value(await achievements.get({ source: 'all' }, { wait: true, aggregate: true }))
    const { generated_at: _when, scan_meta, ...counted } = amounted
    const { sessions_total, messages_scanned, mode, error } = scan_meta
    return {
      listed,
      each,
      found,
      works: value(await sessions.works({ limit: 1_000 })),
      stats: value(await sessions.stats({}, 'tool')),
      agents: value(await review.agents(page)),
      claims: value(await review.claims(page)),
      uses: value(await review.skillUses(page)),
      costs: value(await review.costs({ by: 'session' })),
      counted: { ...counted, sessions_total, messages_scanned, mode, error },
    }
  } finally {
    await review.close()
    await achievements.close()
    await sessions.close()
    await ledger.close()
  }
}

/** What each session of a source amounts to, counted by its messages. */
async function contributions(name: string, place?: LedgerPlace) {
  const source = openSources(environment(), undefined, place).find((each) => each.name === name)
  if (!source) throw new Error(`there is no ${name}`)
  const history = openSourceHistory(source)
  const { signal } = new AbortController()
  const listed = await history.list(signal)
  if ('ok' in listed) throw new Error(listed.message)
  const sessions = listed.sessions.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  return history.scan(sessions, signal)
}

/** Where a session is kept, and of which computer, is all that differs. */
const placeless = (told: unknown): unknown =>
  JSON.parse(JSON.stringify(told, (name, each) => (name === 'place' || name === 'host' ? undefined : each)))

describe.each(Object.entries(sources))('sessions of %s that a hub was told of', (name, { make, words }) => {
  it('are what they are where their files are read', async () => {
    make(home)
    const files = await toldBy({ kind: 'sqlite', file: join(home, 'sqlite', 'ledger.db') }, words)
    await copyAll()
    const hub = await toldBy({ kind: 'postgres', url, space }, words)
    expect(files.listed.filter(({ source }) => source === name).length).toBeGreaterThan(1)
    expect(files.found.flat().length).toBeGreaterThan(0)
    for (const { id, place, host } of hub.listed) expect([place, host]).toEqual([`hub:mast#${id}`, 'mast'])
    // Where its database is Hermes is counted as Hermes counts it, which a hub cannot: by rows.
    const parts = Object.keys(files).filter((part) => name !== 'hermes' || part !== 'counted')
    for (const part of parts as (keyof typeof files)[])
      expect(placeless(hub[part]), part).toEqual(placeless(files[part]))
    expect(placeless(await contributions(name, { kind: 'postgres', url, space }))).toEqual(
      placeless(await contributions(name)),
    )
  }, 240_000)
})
