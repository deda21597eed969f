import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import type { Result } from '@panoptes/schema'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeState } from '../sources/hermes/hermes.test-kit.ts'
import { makeLedger } from '../sources/panoptes/panoptes.test-kit.ts'
import { openSessions, type Sessions } from './index.ts'

const fixture = (...path: readonly string[]) =>
  fileURLToPath(new URL(join('../../../../fixtures', ...path), import.meta.url))

let home: string
let sessions: Sessions

const value = <T>(result: Result<T>): T => {
  if (!result.ok) throw new Error(result.message)
  return result.value
}
const open = async () => {
  sessions = value(await openSessions({ file: join(home, 'kept', 'index.db'), env: { HOME: home } }))
}
const recall = async (text: string, limit = 5) => value(await sessions.recall(text, { limit }))
/** On a busy machine a recall may end before anything is found, and what it had no time to read is read for the next. */
async function recallAll(text: string, limit = 5) {
  let recalled = await recall(text, limit)
  const isWhole = async () => {
    recalled = await recall(text, limit)
    return recalled.note === undefined && recalled.found.length > 0
  }
  await expect.poll(isWhole, { interval: 20 }).toBe(true)
  return recalled
}

/** A transcript of Claude Code in which this was said. */
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

describe('with sessions of every source', () => {
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
    const kept = makeLedger(join(home, '.panoptes', 'ledger.db'))
    kept.conversation('c1', { title: 'Tides' })
    kept.message('c1', { content: 'when does the harbour fall dry?' })
    kept.db.close()
    await open()
    value(await sessions.refresh())
  })

  it('finds what was said, whoever it was said to', async () => {
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

  it('gives no more than is wanted, and says how many there are', async () => {
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

  it('knows nothing more of what was forgotten, also where its text was read before', async () => {
    await recallAll('harbour')
    value(await sessions.forget([{ source: 'hermes', id: 'h1' }]))
    expect((await recallAll('harbour')).found.map(({ source }) => source).sort()).toEqual([
      'claude-code',
      'panoptes',
    ])
  })
})

it('says that sessions are still being read, and finds what is there', async () => {
  for (let n = 0; n < 60; n += 1)
    transcript(`s${n}`, [`the harbour of ${n}`, ...Array.from({ length: 200 }, () => 'words '.repeat(300))])
  await open()
  const reading = sessions.refresh()
  await expect
    .poll(async () => (await recall('harbour')).note, { interval: 2 })
    .toMatch(/^sessions of claude-code are still being read, \d+ of 60/)
  value(await reading)
  expect((await recallAll('harbour')).found).toHaveLength(5)
})

it('tells no secrets that were said', async () => {
  transcript('one', ['the harbour key is sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789'])
  await open()
  value(await sessions.refresh())
  expect((await recallAll('harbour key')).found[0]?.text).toBe('the harbour key is [redacted:anthropic-key]')
})

it('reads a long question by its ends, and answers soon', async () => {
  transcript('one', ['the quay of the harbour'])
  await open()
  value(await sessions.refresh())
  const long = `${'lorem ipsum '.repeat(5_000)} where is the quay of the harbour?`
  const began = performance.now()
  expect((await recallAll(long)).found).toHaveLength(1)
  expect(performance.now() - began).toBeLessThan(15_000)
})

it('does not hold up the thread that asks', async () => {
  for (let n = 0; n < 40; n += 1)
    transcript(
      `s${n}`,
      Array.from({ length: 100 }, (_, at) => `harbour ${n} quay ${at} ${'text '.repeat(200)}`),
    )
  await open()
  value(await sessions.refresh())
  // By the work of this thread alone: the machine may be busy.
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
  // A recall that worked here would take far longer than that.
  expect(longest).toBeLessThan(1_000)
})
