import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { unwrap } from '../result.test-kit.ts'
import { makeState } from '../sources/hermes/hermes.test-kit.ts'
import { makeStore } from '../sources/panoptes/panoptes.test-kit.ts'
import { openSessions, type Sessions } from './index.ts'

const fixture = (...path: readonly string[]) =>
  fileURLToPath(new URL(join('../../../../fixtures', ...path), import.meta.url))

let home: string
let sessions: Sessions

const open = async () => {
  sessions = unwrap(await openSessions({ file: join(home, 'kept', 'index.db'), env: { HOME: home } }))
}
const recall = async (text: string, limit = 5) => unwrap(await sessions.recall(text, { limit }))
/**
 * On a busy machine a recall may time out before it finds anything; the next one continues with the texts
 * read meanwhile.
 */
async function recallAll(text: string, limit = 5) {
  let recalled = await recall(text, limit)
  const isWhole = async () => {
    recalled = await recall(text, limit)
    return recalled.note === undefined && recalled.found.length > 0
  }
  await expect.poll(isWhole, { interval: 20 }).toBe(true)
  return recalled
}

/** Writes a Claude Code transcript with these texts. */
function transcript(id: string, texts: readonly string[]): void {
  const folder = join(home, '.claude', 'projects', '-notes')
  mkdirSync(folder, { recursive: true })
  const rows = texts.map((content, n) => ({
    type: 'user',
    uuid: `${id}-${n}`,
    sessionId: id,
    timestamp: new Date(Date.UTC(2026, 9, 1, 9, 0, n)).toISOString(),
    message: { role: 'user', content },
  }))
  writeFileSync(join(folder, `${id}.jsonl`), rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
}

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'panoptes-recall-'))
})
afterEach(async () => {
  await sessions.close()
  rmSync(home, { recursive: true, force: true })
})

describe('recall across every source', () => {
  beforeEach(async () => {
    transcript('claude', ['we moved the harbour crane', 'unrelated'])
    cpSync(fixture('codex', '0.166.0'), join(home, '.codex'), { recursive: true })
    const folder = join(home, '.local', 'share', 'opencode')
    mkdirSync(folder, { recursive: true })
    const db = new DatabaseSync(join(folder, 'opencode.db'))
    for (const name of ['schema.sql', 'recording.sql'])
      db.exec(readFileSync(fixture('opencode', name), 'utf8'))
    db.close()
    const hermes = makeState(join(home, '.hermes'))
    hermes.session({ id: 'h1', title: 'Boats' })
    hermes.message({ session_id: 'h1', role: 'assistant', content: 'The harbour pilot boards at dawn.' })
    hermes.db.close()
    const conversations = makeStore(join(home, '.panoptes', 'ledger.db'))
    conversations.conversation('c1', { title: 'Tides' })
    conversations.message('c1', { content: 'when does the harbour fall dry?' })
    conversations.db.close()
    await open()
    unwrap(await sessions.refresh())
  })

  it('finds messages of people and agents in every source', async () => {
    const { found, note } = await recallAll('what did we say about the harbour?')
    expect(found.map(({ source, role, title, text }) => [source, role, title, text]).sort()).toEqual([
      ['claude-code', 'user', 'we moved the harbour crane', 'we moved the harbour crane'],
      ['hermes', 'assistant', 'Boats', 'The harbour pilot boards at dawn.'],
      ['panoptes', 'user', 'Tides', 'when does the harbour fall dry?'],
    ])
    expect(note).toBeUndefined()
    expect((await recallAll('look around')).found.map(({ source }) => source)).toContain('codex')
    expect((await recallAll('child report')).found.map(({ source }) => source)).toContain('opencode')
  })

  it('returns no more than requested, with the total number', async () => {
    expect(await recallAll('harbour', 1)).toMatchObject({ found: [{}], total: 3 })
    expect(await recall('what is it?')).toEqual({ found: [], total: 0 })
  })

  it('stops when nobody waits for it', async () => {
    const stop = new AbortController()
    const running = sessions.recall('harbour', { limit: 5, signal: stop.signal })
    stop.abort()
    expect(await running).toMatchObject({ ok: false, code: 'stopped' })
    expect(await sessions.recall('harbour', { limit: 5, signal: stop.signal })).toMatchObject({
      code: 'stopped',
    })
    expect((await recallAll('harbour')).found).toHaveLength(3)
  })

  it('finds nothing of forgotten sessions, even if their text was cached', async () => {
    await recallAll('harbour')
    unwrap(await sessions.forget([{ source: 'hermes', id: 'h1' }]))
    expect((await recallAll('harbour')).found.map(({ source }) => source).sort()).toEqual([
      'claude-code',
      'panoptes',
    ])
  })
})

it('reports that sessions are still being read and returns what it found so far', async () => {
  for (let n = 0; n < 60; n += 1)
    transcript(`s${n}`, [`the harbour of ${n}`, ...Array.from({ length: 200 }, () => 'words '.repeat(300))])
  await open()
  const reading = sessions.refresh()
  await expect
    .poll(async () => (await recall('harbour')).note, { interval: 2 })
    .toMatch(/^sessions of claude-code are still being read, \d+ of 60/)
  unwrap(await reading)
  expect((await recallAll('harbour')).found).toHaveLength(5)
})

it('never returns secrets', async () => {
  transcript('one', ['the harbour key is sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789'])
  await open()
  unwrap(await sessions.refresh())
  expect((await recallAll('harbour key')).found[0]?.text).toBe('the harbour key is [redacted:anthropic-key]')
})

it('shortens a long question to its ends and answers quickly', async () => {
  transcript('one', ['the quay of the harbour'])
  await open()
  unwrap(await sessions.refresh())
  const long = `${'lorem ipsum '.repeat(5_000)} where is the quay of the harbour?`
  const began = performance.now()
  expect((await recallAll(long)).found).toHaveLength(1)
  expect(performance.now() - began).toBeLessThan(15_000)
})

it('does not block the calling thread', async () => {
  for (let n = 0; n < 40; n += 1)
    transcript(
      `s${n}`,
      Array.from({ length: 100 }, (_, at) => `harbour ${n} quay ${at} ${'text '.repeat(200)}`),
    )
  await open()
  unwrap(await sessions.refresh())
  // CPU time of this thread, because the machine may be busy.
  const worked = () => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1_000
  }
  let longest = 0
  let last = worked()
  const timer = setInterval(() => {
    longest = Math.max(longest, worked() - last)
    last = worked()
  }, 1)
  for (let n = 0; n < 20; n += 1) await recall(`harbour ${n} quay`, 12)
  clearInterval(timer)
  // A recall on this thread would take far longer.
  expect(longest).toBeLessThan(1_000)
})
