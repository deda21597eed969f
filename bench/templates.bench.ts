import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSessions } from '@panoptes/engine/sessions'
import { type Listed, openSources, type SessionSource } from '@panoptes/engine/sources'
import { openSqliteStore } from '@panoptes/engine/store'
import { openTemplates } from '@panoptes/engine/templates'
import { success } from '@panoptes/schema/result'
import { options, orThrow, publish, readLoad } from './report.ts'
import { interleaved, round } from './statistics.ts'
import { claudeHome, hermesHome } from './templates-data.ts'

const { quick } = options()
const rounds = quick ? 1 : 5
const MESSAGES = quick ? 1_000 : 10_000
const TURNS = 30
const OVER_MS = 100
const ID = '019a8f00-0000-7000-8000-000000000001'
const folder = mkdtempSync(join(tmpdir(), 'panoptes-bench-templates-'))

const milliseconds = async (work: () => Promise<void>): Promise<number> => {
  const start = performance.now()
  await work()
  return performance.now() - start
}

/** Reads the first turns and discards them. */
async function readTurns(source: SessionSource, listed: Listed): Promise<void> {
  let turns = 0
  for await (const record of source.read(listed)) {
    if (record.kind === 'failed') throw new Error(record.failure.message)
    if (record.kind !== 'message' || record.message.role !== 'assistant') continue
    turns += 1
    if (turns > TURNS) return
  }
}

async function listedIn(source: SessionSource): Promise<Listed> {
  for await (const each of source.list()) if (each.kind === 'listed' && each.id === ID) return each
  throw new Error(`${source.name} does not list the session`)
}

/** Measures the milliseconds to create a template and to read its source. */
async function measured(name: string, env: Readonly<Record<string, string>>) {
  const home = join(folder, `${name}-panoptes`)
  mkdirSync(home)
  const source = openSources(env).find((each) => each.name === name)
  if (!source) throw new Error(`There is no source ${name}`)
  const listed = await listedIn(source)
  const ledger = orThrow(await openSqliteStore(join(home, 'ledger.db')))
  const sessions = orThrow(await openSessions({ file: join(home, 'index.db'), env }))
  orThrow(await sessions.refresh())
  const templates = openTemplates({
    folder: join(home, 'templates'),
    hermesFolder: join(home, 'none'),
    templateUses: ledger.templateUses,
    past: { opening: sessions.opening, works: sessions.works },
    outcomes: async () => success(new Map()),
    experiment: null,
    own: {},
    home: '/home/dev',
  })
  const [found] = orThrow(await sessions.list({ limit: 1 }))
  const input = { source: name, session_id: ID, name: 'benchmark', force: true }
  const took = await interleaved(rounds, {
    create: () => milliseconds(async () => void orThrow(await templates.create(input))),
    floor: () => milliseconds(() => readTurns(source, listed)),
  })
  await sessions.close()
  await ledger.close()
  return { name, messages: found?.messages ?? 0, ...took }
}

try {
  const load = readLoad()
  const all = [
    await measured('claude-code', claudeHome(join(folder, 'claude'), ID, MESSAGES)),
    await measured('hermes', hermesHome(join(folder, 'hermes'), ID, MESSAGES)),
  ]
  publish({
    name: 'templates',
    tables: [
      {
        title: `Making a template of a session, the median of ${rounds} (load ${load} before)`,
        rows: all.map(({ name, messages, create, floor }) => ({
          source: name,
          messages,
          'create, ms': round(create),
          [`first ${TURNS} turns, ms`]: round(floor),
          'over it, ms': round(create - floor),
        })),
      },
    ],
    promises: all.map(({ name, messages, create, floor }) => ({
      says: `creating from a session of ${messages} messages of ${name} stays under ${OVER_MS} ms over reading its first ${TURNS} turns`,
      holds: create - floor < OVER_MS && messages === MESSAGES,
      measured: `${round(create)} ms against ${round(floor)} ms`,
    })),
  })
} finally {
  rmSync(folder, { recursive: true, force: true })
}
