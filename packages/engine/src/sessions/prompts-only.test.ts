import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPrices } from '@panoptes/engine/models'
import { createForgetting, indexForgetter, openSessions, type Sessions } from '@panoptes/engine/sessions'
import { type ArchiveSettings, type Fold, throughArchive } from '@panoptes/engine/sources'
import { openSqliteStore } from '@panoptes/engine/store'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { unwrap } from '../result.test-kit.ts'
import { linesOf, promptRow, put, replied } from '../sources/claude-code/claude-code.test-kit.ts'
import { claudeCodeSource } from '../sources/claude-code/index.ts'
import { all, listed } from '../sources/conformance/records.ts'
import { readAll } from './reading.ts'

let folder: string
let opened: Sessions[]
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'panoptes-prompts-'))
  opened = []
})
afterEach(async () => {
  for (const each of opened) await each.close()
  rmSync(folder, { recursive: true, force: true })
})

const file = () => join(folder, 'history.db')
const transcript = (id: string) => join(folder, 'projects', '-atlas', `${id}.jsonl`)
const prompted = (sessionId: string, display: string) =>
  appendFileSync(
    join(folder, 'history.jsonl'),
    linesOf([{ display, timestamp: Date.UTC(2026, 5, 1), project: '/home/dev/atlas', sessionId }]),
  )

async function open(more: Partial<Parameters<typeof openSessions>[0]> = {}): Promise<Sessions> {
  const env = { HOME: folder, CLAUDE_CONFIG_DIR: folder }
  const sessions = unwrap(await openSessions({ file: file(), env, ...more }))
  opened.push(sessions)
  unwrap(await sessions.refresh())
  return sessions
}

const list = async (sessions: Sessions) => unwrap(await sessions.list({ limit: 10 }))

it('lists, searches, recalls and shows the prompts of a session that was deleted before', async () => {
  put(transcript('whole'), [promptRow('Paint the door'), replied('a', 'It is red', [1, 1])])
  prompted('whole', 'Paint the door')
  prompted('lost', 'Find the leaking valve with key sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789')
  const sessions = await open()
  const found = await list(sessions)
  expect(found.map(({ id, prompts_only, messages }) => [id, prompts_only ?? false, messages])).toEqual([
    ['whole', false, 2],
    ['lost', true, 1],
  ])
  expect(JSON.stringify(found)).not.toContain('abcdefghijklm')
  const [hit] = unwrap(await sessions.search({ text: 'leaking ', limit: 5 }))
  expect(hit).toMatchObject({ session_id: 'lost', role: 'user', snippet: expect.stringContaining('valve') })
  const recalled = unwrap(await sessions.recall('the leaking valve', { limit: 3 }))
  expect(JSON.stringify(recalled)).toContain('leaking valve')
  const shown = unwrap(await sessions.transcript({ source: 'claude-code', id: 'lost', from: 0, limit: 10 }))
  expect(shown).toMatchObject({ session: { prompts_only: true, model: null }, messages: [{ role: 'user' }] })
})

it('does not count as work: not in totals, and not for modules that read through the archive', async () => {
  put(transcript('whole'), [promptRow('Paint the door')])
  prompted('lost', 'Find the leak')
  const sessions = await open()
  expect(unwrap(await sessions.works({ limit: 10 })).map(({ id }) => id)).toEqual(['whole'])
  expect(unwrap(await sessions.stats({}, 'source'))).toMatchObject([{ name: 'claude-code', sessions: 1 }])
  expect(unwrap(await sessions.stats({}, 'model'))).toMatchObject([{ sessions: 1 }])
  const counted = throughArchive(claudeCodeSource(join(folder, 'projects')), file())
  expect((await listed(counted)).map(({ id }) => id)).toEqual(['whole'])
  rmSync(join(folder, 'history.jsonl'))
  unwrap(await sessions.refresh())
  expect((await listed(counted)).map(({ id }) => id)).toEqual(['whole'])
})

it('is given to no fold', async () => {
  put(transcript('whole'), [promptRow('Paint the door')])
  prompted('lost', 'Find the leak')
  const source = claudeCodeSource(join(folder, 'projects'))
  const lost = { id: 'lost', place: join(folder, 'history.jsonl'), fingerprint: 'f', promptsOnly: true }
  const started: string[] = []
  const folds: readonly Fold[] = [
    {
      name: 'any',
      rules: '1',
      start: (_source, { id }) => {
        started.push(id)
        return undefined
      },
    },
  ]
  const parts = await all(
    readAll({ source, listed: [...(await listed(source)), lost], prices: createPrices({}), folds }),
  )
  const ended = parts.flatMap(({ changes }) => changes.filter(({ type }) => type === 'end'))
  expect(ended).toMatchObject([{ session: { id: 'whole' } }, { session: { id: 'lost' } }])
  expect(started).toEqual(['whole'])
})

it('keeps the prompts when the history of the agent is deleted too', async () => {
  prompted('lost', 'Find the leak')
  const sessions = await open()
  rmSync(join(folder, 'history.jsonl'))
  unwrap(await sessions.refresh())
  expect(await list(sessions)).toMatchObject([{ id: 'lost', prompts_only: true, archived: true }])
})

it('gives way to the transcript as soon as that is there again', async () => {
  prompted('lost', 'Find the leak')
  const sessions = await open()
  put(transcript('lost'), [promptRow('Find the leak'), replied('a', 'It is the valve', [1, 1])])
  unwrap(await sessions.refresh())
  const [restored] = await list(sessions)
  expect(restored).toMatchObject({ id: 'lost', messages: 2, model: 'claude-opus-4-8' })
  expect(restored?.prompts_only).toBeUndefined()
  expect(unwrap(await sessions.search({ text: 'valve ', limit: 5 }))).toHaveLength(1)
})

it('never replaces a session that the archive has', async () => {
  put(transcript('whole'), [promptRow('Paint the door'), replied('a', 'It is red', [1, 1])])
  prompted('whole', 'Paint the door')
  const sessions = await open()
  rmSync(transcript('whole'))
  unwrap(await sessions.refresh())
  const [kept] = await list(sessions)
  expect(kept).toMatchObject({ id: 'whole', archived: true, messages: 2 })
  expect(kept?.prompts_only).toBeUndefined()
})

it('replaces a deleted session that was not archived', async () => {
  const archive: ArchiveSettings = { enabled: false, exclude: [], keep_days: null, max_size_mb: null }
  put(transcript('whole'), [promptRow('Paint the door'), replied('a', 'It is red', [1, 1])])
  prompted('whole', 'Paint the door')
  const sessions = await open({ archive })
  rmSync(transcript('whole'))
  unwrap(await sessions.refresh())
  expect(await list(sessions)).toMatchObject([{ id: 'whole', prompts_only: true, messages: 1 }])
  const [hit] = unwrap(await sessions.search({ text: 'door ', limit: 5 }))
  expect(hit?.snippet).toBe('Paint the door')
})

it('stays forgotten although the agent keeps the prompts', async () => {
  prompted('lost', 'Find the leak')
  prompted('other', 'Paint the door')
  const store = unwrap(await openSqliteStore(join(folder, 'ledger.db')))
  try {
    const sessions = await open({ forgotten: unwrap(await store.forgetting.forgotten()) })
    const forget = createForgetting(store, [indexForgetter(sessions)])
    unwrap(await forget([{ source: 'claude-code', id: 'lost' }]))
    unwrap(await sessions.refresh())
    expect((await list(sessions)).map(({ id }) => id)).toEqual(['other'])
    const again = await open({ forgotten: unwrap(await store.forgetting.forgotten()) })
    expect((await list(again)).map(({ id }) => id)).toEqual(['other'])
  } finally {
    await store.close()
  }
})

it('reads nothing again while nothing changes', async () => {
  prompted('lost', 'Find the leak')
  const sessions = await open()
  const [before] = await list(sessions)
  unwrap(await sessions.refresh())
  expect(sessions.status().find(({ source }) => source === 'claude-code')).toMatchObject({
    done: 0,
    total: 0,
  })
  expect(await list(sessions)).toEqual([before])
})
