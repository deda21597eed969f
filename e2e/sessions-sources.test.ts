import { cp, mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { FoundMessage, PastSession, StatsRow, TranscriptReply } from '@panoptes/schema'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeHome, ROOT, runCommand, type TestHome } from './command.ts'

const fixtures = join(ROOT, 'fixtures')
let home: TestHome

beforeAll(async () => {
  home = await makeHome()
  await cp(join(fixtures, 'codex', '0.166.0'), join(home.folder, '.codex'), { recursive: true })
  const folder = join(home.folder, '.local', 'share', 'opencode')
  await mkdir(folder, { recursive: true })
  const db = new DatabaseSync(join(folder, 'opencode.db'))
  for (const name of ['schema.sql', 'recording.sql'])
    db.exec(await readFile(join(fixtures, 'opencode', name), 'utf8'))
  db.close()
})
afterAll(() => home.remove())

const json = async <T>(...args: string[]) =>
  JSON.parse((await runCommand(home, ['sessions', ...args, '--json'])).stdout) as T

/** A session with a sub-agent for each source, and words that only the sub-agent got. */
describe.each([
  { source: 'codex', sessions: 7, id: '01a1e026-abd0', words: 'look around', agents: 2 },
  { source: 'opencode', sessions: 3, id: 'ses_e1fcd7c2c', words: 'child report', agents: 2 },
])('panoptes sessions of $source', ({ source, sessions, id, words, agents }) => {
  it('lists, shows and searches the sessions', async () => {
    const list = await json<PastSession[]>('list', '--source', source)
    expect(list).toHaveLength(sessions)
    expect(list.every(({ spent }) => spent.usage_unknown === 0)).toBe(true)
    const shown = await json<TranscriptReply>('show', id)
    expect(shown.session).toMatchObject({ source, project: 'notes', cwd: '/home/dev/notes' })
    expect(shown.agents).toHaveLength(agents)
    const found = await json<FoundMessage[]>('search', words, '--source', source)
    expect(found.map(({ session_id }) => session_id)).toContain(shown.session.id)
    expect(found[0]?.snippet?.toLowerCase()).toContain(words.split(' ')[0])
  })
})

it('adds up the usage of each source once', async () => {
  const rows = await json<StatsRow[]>('stats', '--by', 'source')
  const of = (name: string) => rows.find((row) => row.name === name)
  expect(of('codex')?.spent).toMatchObject({ input: 4_750, cache_read: 14_400, output: 1_015 })
  expect(of('opencode')?.spent).toMatchObject({ input: 3_249, output: 320, cost_micro_usd: 4_369 })
})
