import { randomUUID } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { openAchievements } from '@panoptes/engine/achievements'
import { resolvePaths } from '@panoptes/engine/home'
import { openReview } from '@panoptes/engine/outcomes'
import { openSessions } from '@panoptes/engine/sessions'
import { copySessions, openSources, receiverOf } from '@panoptes/engine/sources'
import { openStore, openTranscripts, type StoreLocation, spaceSchema } from '@panoptes/engine/store'
import { config } from '@panoptes/schema'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { usePostgres } from '../../../../../e2e/setup/shared-servers.ts'
import { generateHermesState } from '../../../../../fixtures/hermes/generator/index.ts'
import { contributionFold } from '../../achievements/fold/index.ts'
import { unwrap } from '../../result.test-kit.ts'

const FIXTURES = fileURLToPath(new URL('../../../../../fixtures/', import.meta.url))
const ZONE = 'UTC'
const AT = Date.UTC(2026, 11, 1)

interface Fixture {
  readonly make: (home: string) => void
  /** Words that occur in the sessions. */
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

const url = usePostgres()
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
  await client.query(`DROP SCHEMA IF EXISTS ${spaceSchema(space)} CASCADE`)
  rmSync(home, { recursive: true, force: true })
})

const environment = () => ({ HOME: home, PANOPTES_HOME: join(home, 'kept') })

async function copyAll(): Promise<void> {
  const transcripts = unwrap(await openTranscripts({ url, schema: spaceSchema(space) }))
  const copy = copySessions({ env: environment(), receiver: receiverOf(transcripts, 'mast') })
  unwrap(await copy.refresh())
  expect(copy.status()).toMatchObject({ waiting: 0, problem: null })
  await copy.close()
  await transcripts.close()
}

/** Collects what all features report about the sessions of a store. */
async function toldBy(place: StoreLocation, words: readonly string[]) {
  const env = environment()
  // Only the place decides where to read from.
  const paths = resolvePaths({ ...env, PANOPTES_HOME: join(home, place.kind) })
  const store = unwrap(await openStore(place))
  const sessions = unwrap(
    await openSessions({ file: paths.history, env, place, zone: ZONE, marked: store.annotations }),
  )
  const forgotten = unwrap(await store.forgetting.forgotten())
  const achievements = openAchievements({
    achievementStore: store.achievementStore,
    sessions,
    history: paths.history,
    forgotten,
    folder: paths.achievements,
    env,
    place,
    zone: ZONE,
  })
  const review = unwrap(
    await openReview({
      store,
      sessions,
      config: config.parse({}),
      paths,
      env,
      place,
      zone: ZONE,
      now: () => AT,
    }),
  )
  try {
    sessions.follow()
    unwrap(await sessions.refresh())
    unwrap(await review.refresh())
    const listed = unwrap(await sessions.list({ limit: 1_000 }))
    const each = []
    for (const { source, id } of listed) {
      const { messages, ...about } = unwrap(await sessions.transcript({ source, id, from: 0, limit: 200 }))
      const outline = unwrap(await sessions.outline({ source, id }))
      each.push({ id, messages, about, outline })
    }
    const found = []
    for (const text of words) found.push(unwrap(await sessions.search({ text, limit: 50 })))
    const page = { limit: 1_000, all: true }
    const amounted = unwrap(await achievements.get({ source: 'all' }, { wait: true, aggregate: true }))
    const { generated_at: _when, scan_meta, ...counted } = amounted
    const { sessions_total, messages_scanned, mode, error } = scan_meta
    return {
      listed,
      each,
      found,
      works: unwrap(await sessions.works({ limit: 1_000 })),
      stats: unwrap(await sessions.stats({}, 'tool')),
      agents: unwrap(await review.agents(page)),
      claims: unwrap(await review.claims(page)),
      uses: unwrap(await review.skillUses(page)),
      costs: unwrap(await review.costs({ by: 'session' })),
      counted: { ...counted, sessions_total, messages_scanned, mode, error },
    }
  } finally {
    await review.close()
    await achievements.close()
    await sessions.close()
    await store.close()
  }
}

/** The contribution of each session of a source, counted by its messages. */
async function contributions(name: string, place?: StoreLocation) {
  const source = openSources(environment(), undefined, place).find((each) => each.name === name)
  if (!source) throw new Error(`there is no ${name}`)
  const fold = contributionFold(new Set())
  const counted: object[] = []
  for await (const listed of source.list()) {
    if (listed.kind === 'failed') throw new Error(listed.failure.message)
    const run = fold.start(name, listed)
    for await (const record of source.read(listed))
      if (record.kind === 'session') counted.push(run?.end(record.session).value ?? {})
      else run?.take(record)
  }
  return counted.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
}

/** Removes the place and the computer of a session, which may differ. */
const placeless = (report: unknown): unknown =>
  JSON.parse(JSON.stringify(report, (name, each) => (name === 'place' || name === 'host' ? undefined : each)))

describe.each(Object.entries(sources))(
  'sessions of %s that were uploaded to a hub',
  (name, { make, words }) => {
    it('equal the sessions read from their files', async () => {
      make(home)
      const files = await toldBy({ kind: 'sqlite', file: join(home, 'sqlite', 'ledger.db') }, words)
      await copyAll()
      const hub = await toldBy({ kind: 'postgres', url, space }, words)
      expect(files.listed.filter(({ source }) => source === name).length).toBeGreaterThan(1)
      expect(files.found.flat().length).toBeGreaterThan(0)
      for (const { id, place, host } of hub.listed) expect([place, host]).toEqual([`hub:mast#${id}`, 'mast'])
      // On its own computer, Hermes sessions are counted from the database; a hub has only messages to count.
      const parts = Object.keys(files).filter((part) => name !== 'hermes' || part !== 'counted')
      for (const part of parts as (keyof typeof files)[])
        expect(placeless(hub[part]), part).toEqual(placeless(files[part]))
      expect(placeless(await contributions(name, { kind: 'postgres', url, space }))).toEqual(
        placeless(await contributions(name)),
      )
    }, 240_000)
  },
)
