import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type EventStore, openSqliteStore } from '@panoptes/engine/store'
import type { NewEvent } from '@panoptes/schema'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { unwrap } from '../result.test-kit.ts'
import { createForgetting, forgettable, indexForgetter, openSessions, type Sessions } from './index.ts'

const RECORDED = new URL('../../../../fixtures/claude-code/transcripts', import.meta.url).pathname
const MARKER = 'zyzzogeton'
const ONE = { source: 'claude-code', id: `11111111-2222-4333-8444-${MARKER}` }

let folder: string
let store: EventStore
let sessions: Sessions

const row = (n: number) =>
  JSON.stringify({
    type: 'user',
    uuid: `u-${MARKER}-${n}`,
    sessionId: ONE.id,
    cwd: `/home/dev/${MARKER}`,
    timestamp: '2026-11-15T09:00:00Z',
    message: { role: 'user', content: `${MARKER} said ${n}` },
  })

const event = (n: number): NewEvent => ({
  v: 1,
  key: `k${n}`,
  ts: 1_700_000_000_000 + n,
  event: 'prompt',
  source: ONE.source,
  host: 'h',
  session_id: ONE.id,
})

const open = async () => {
  const env = { HOME: folder, CLAUDE_CONFIG_DIR: folder }
  const forgotten = unwrap(await store.forgetting.forgotten())
  sessions = unwrap(
    await openSessions({ file: join(folder, 'kept', 'index.db'), env, forgotten, marked: store.annotations }),
  )
  unwrap(await sessions.refresh())
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'panoptes-forget-'))
  cpSync(RECORDED, join(folder, 'projects'), { recursive: true })
  mkdirSync(join(folder, 'projects', '-secret'))
  mkdirSync(join(folder, 'kept'))
  writeFileSync(
    join(folder, 'projects', '-secret', `${ONE.id}.jsonl`),
    `${Array.from({ length: 40 }, (_, n) => row(n)).join('\n')}\n`,
  )
  store = unwrap(await openSqliteStore(join(folder, 'kept', 'ledger.db')))
  await open()
})
afterEach(async () => {
  await sessions.close()
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

const filesWithMarker = () =>
  readdirSync(join(folder, 'kept')).filter((name) =>
    readFileSync(join(folder, 'kept', name)).includes(MARKER),
  )

/** Returns every word the index file still contains. */
function wordsKept(): readonly string[] {
  const db = new DatabaseSync(join(folder, 'kept', 'index.db'))
  try {
    return db
      .prepare('SELECT number FROM parts')
      .all()
      .flatMap(({ number }) => {
        db.exec(`CREATE VIRTUAL TABLE temp.v${number} USING fts5vocab('main', 'words_${number}', 'row')`)
        return db
          .prepare(`SELECT term FROM temp.v${number}`)
          .all()
          .map(({ term }) => String(term))
      })
  } finally {
    db.close()
  }
}

describe('a forgotten session', () => {
  it('disappears completely from index, log and marks and does not return', async () => {
    unwrap(await store.append([event(1), event(2)]))
    unwrap(await store.annotations.mark(ONE, { tags: [MARKER] }))
    expect(unwrap(await sessions.search({ text: MARKER, limit: 50 }))).toHaveLength(40)
    expect(wordsKept()).toContain(MARKER)
    const forget = createForgetting(store, [indexForgetter(sessions)])
    const reply = unwrap(await forget([ONE]))
    expect(reply).toEqual({
      sessions: 1,
      removed: [
        { from: 'index', what: 'sessions', count: 1 },
        { from: 'index', what: 'messages', count: 40 },
        { from: 'ledger', what: 'events', count: 2 },
        { from: 'ledger', what: 'agents', count: 1 },
        { from: 'ledger', what: 'tags', count: 1 },
        { from: 'ledger', what: 'notes', count: 0 },
        { from: 'ledger', what: 'achievements', count: 0 },
        { from: 'ledger', what: 'templates', count: 0 },
        { from: 'ledger', what: 'accounts', count: 0 },
        { from: 'ledger', what: 'turns', count: 0 },
        { from: 'ledger', what: 'conversations', count: 0 },
      ],
    })
    const check = async () => {
      unwrap(await sessions.refresh())
      expect(unwrap(await sessions.list({ limit: 50 })).map(({ id }) => id)).not.toContain(ONE.id)
      expect(unwrap(await sessions.list({ limit: 50 }))).toHaveLength(4)
      expect(unwrap(await sessions.search({ text: MARKER, limit: 50 }))).toEqual([])
      expect(await sessions.transcript({ ...ONE, from: 0, limit: 1 })).toMatchObject({ code: 'not_found' })
      expect(filesWithMarker()).toEqual([])
    }
    await check()
    expect(wordsKept()).not.toContain(MARKER)
    await sessions.close()
    await open()
    await check()
    rmSync(join(folder, 'kept', 'index.db'))
    await sessions.close()
    await open()
    await check()
    expect(readFileSync(join(folder, 'projects', '-secret', `${ONE.id}.jsonl`), 'utf8')).toContain(MARKER)
    const again = createForgetting(store, [indexForgetter(sessions)])
    expect(unwrap(await again([ONE])).removed.every(({ count }) => count === 0)).toBe(true)
  })

  it('stays hidden and unread by threads that ended and started again', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    await sessions.close()
    await open()
    unwrap(await sessions.hide([ONE]))
    // Threads that have nothing to do end after half a minute.
    vi.advanceTimersByTime(30_000)
    vi.useRealTimers()
    const listed = unwrap(await sessions.list({ limit: 50 }))
    expect(listed.length).toBeGreaterThan(0)
    const file = join(folder, 'projects', '-secret', `${ONE.id}.jsonl`)
    appendFileSync(file, `${row(900)}\n`)
    unwrap(await sessions.refresh())
    expect(await sessions.transcript({ ...ONE, from: 900, limit: 1 })).toMatchObject({ ok: false })
    expect(unwrap(await sessions.search({ text: `"${MARKER} said 900"`, limit: 50 }))).toEqual([])
  })

  it('does not return through a branch that contains a copy of it', async () => {
    const file = join(folder, 'projects', '-secret', `${ONE.id}.jsonl`)
    const branch = { source: 'claude-code', id: 'branch' }
    const own = (text: string) =>
      JSON.stringify({
        ...JSON.parse(row(90)),
        uuid: text,
        sessionId: branch.id,
        message: { role: 'user', content: text },
      })
    const copied = [0, 1].map((n) =>
      JSON.stringify({ ...JSON.parse(row(n)), sessionId: branch.id, forkedFrom: { sessionId: ONE.id } }),
    )
    const branchFile = join(folder, 'projects', '-secret', `${branch.id}.jsonl`)
    writeFileSync(branchFile, `${[...copied, own('another way')].join('\n')}\n`)
    unwrap(await sessions.refresh())
    const branches = async () =>
      unwrap(await sessions.list({ limit: 50 })).filter(({ id }) => id === branch.id)
    expect(await branches()).toMatchObject([{ parent_id: ONE.id, messages: 1 }])
    expect(unwrap(await forgettable(sessions, store, ONE.id))).toMatchObject([{ branches: [branch.id] }])
    unwrap(await createForgetting(store, [indexForgetter(sessions)])([ONE]))
    rmSync(file)
    appendFileSync(branchFile, `${own('and on')}\n`)
    const check = async () => {
      unwrap(await sessions.refresh())
      expect(await branches()).toMatchObject([{ parent_id: null, messages: 2 }])
      expect(unwrap(await sessions.search({ text: 'said ', limit: 50 }))).toEqual([])
      const shown = unwrap(await sessions.transcript({ ...branch, from: 0, limit: 9 }))
      expect(shown.messages.map(({ content }) => content)).toMatchObject([
        [{ text: 'another way' }],
        [{ text: 'and on' }],
      ])
    }
    await check()
    await sessions.close()
    await open()
    await check()
  })

  it('is finished by the next call when it was interrupted', async () => {
    unwrap(await store.append([event(1)]))
    unwrap(await store.forgetting.begin([ONE]))
    const other = { source: 'claude-code', id: 'ea691ccd-8a96-4a2d-838e-68211d44554b' }
    const reply = unwrap(await createForgetting(store, [indexForgetter(sessions)])([other]))
    expect(reply.sessions).toBe(2)
    expect(reply.removed).toContainEqual({ from: 'index', what: 'messages', count: 65 })
    expect(filesWithMarker()).toEqual([])
    expect(unwrap(await store.forgetting.pending())).toEqual([])
  })

  it('stays pending while a part cannot delete it', async () => {
    const forget = createForgetting(store, [async () => ({ ok: false, code: 'io', message: 'not now' })])
    expect(await forget([ONE])).toMatchObject({ ok: false, message: 'not now' })
    expect(unwrap(await store.forgetting.pending())).toEqual([ONE])
  })
})

describe('a pattern', () => {
  const ids = async (pattern: string) =>
    unwrap(await forgettable(sessions, store, pattern)).map(({ id }) => id.slice(0, 8))

  it('matches the beginning of an id, a whole title or project, or any of them with a star', async () => {
    unwrap(await store.append([{ ...event(9), session_id: 'only-told', source: 'custom' }]))
    expect(await ids('ea69')).toEqual(['ea691ccd'])
    expect(await ids('a69')).toEqual([])
    expect(await ids('run:PARALLEL')).toEqual(['ea691ccd'])
    expect(await ids('run')).toEqual([])
    expect((await ids('run:*')).sort()).toEqual(['03c5563d', '290c6983', '30d748bb', 'ea691ccd'])
    expect(await ids('notes')).toHaveLength(4)
    expect(await ids(MARKER)).toEqual(['11111111'])
    expect(await ids('only-*')).toEqual(['only-tol'])
    expect(await ids('*')).toHaveLength(6)
    expect(await ids('*a*a*a*zz')).toEqual([])
  })
})
