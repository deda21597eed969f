import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { hermesDb, NOON, tempFolder } from './achievements.test-kit.ts'
import { openHermesHistory } from './hermes-history.ts'
import type { History } from './history.ts'

const never = new AbortController().signal

async function scanAll(history: History, signal = never) {
  const listed = await history.list(never)
  if ('ok' in listed) throw new Error(listed.message)
  const scanned = await history.scan(listed.sessions, signal)
  if ('ok' in scanned) throw new Error(scanned.message)
  return new Map(listed.sessions.map(({ id }, at) => [id, scanned[at]]))
}

const fingerprints = async (history: History) => {
  const listed = await history.list(never)
  if ('ok' in listed) throw new Error(listed.message)
  return new Map(listed.sessions.map(({ id, fingerprint }) => [id, fingerprint]))
}

describe('history of Hermes', () => {
  it('skips and reports a malformed row and counts the rest of the session', async () => {
    const db = hermesDb(join(tempFolder(), 'state.db'))
    const bad = { role: 'assistant', content: 'error', tool_calls: '[{"function": "text"}]' }
    db.add('a', ['error', bad, 'failed'])
    const read = (await scanAll(openHermesHistory(db.path))).get('a')
    expect(read).toMatchObject({
      messages: 2,
      contribution: {
        values: { error_count: 2, message_count: 2 },
        skipped: [{ place: `${db.path}#a:2`, reason: 'a call has no function' }],
      },
    })
  })

  it('reads long texts and long sessions to their end', async () => {
    const db = hermesDb(join(tempFolder(), 'state.db'))
    db.add('long', [
      'x',
      `${'y'.repeat(300_000)} error`,
      { content: null, tool_calls: JSON.stringify([{ name: 'z'.repeat(200_000) }]) },
    ])
    db.add(
      'many',
      Array.from({ length: 350 }, () => 'error'),
    )
    db.add('none', [])
    db.add('three', ['docs', { content: 'docs', active: 0, compacted: 1 }, { content: 'docs', active: 0 }])
    const read = await scanAll(openHermesHistory(db.path))
    expect(read.get('long')).toMatchObject({
      contribution: { values: { error_count: 1, tool_call_count: 1 } },
    })
    expect(read.get('many')).toMatchObject({ messages: 350, contribution: { values: { error_count: 350 } } })
    expect(read.get('none')).toMatchObject({ messages: 0 })
    expect(read.get('three')).toMatchObject({ contribution: { values: { docs_activity_events: 2 } } })
  })

  it('counts messages carried over by compaction once, anywhere in a long session', async () => {
    const db = hermesDb(join(tempFolder(), 'state.db'))
    const said = Array.from({ length: 250 }, (_, at) => ({ content: `error ${at}`, timestamp: NOON + at }))
    const again = said.slice(40, 60).map((row) => ({ ...row, active: 0, compacted: 1 }))
    const answers = ['x', 'y', 'x'].map((tool_call_id) => ({
      role: 'tool',
      content: 'error',
      timestamp: NOON,
      tool_call_id,
    }))
    db.add('late', [...said, ...again])
    db.add('early', [...said.slice(0, 5), ...said.slice(0, 5), ...said.slice(5)])
    db.add('falling', said.toReversed())
    db.add(
      'timeless',
      [...said, ...said.slice(0, 3)].map((row) => ({ ...row, timestamp: 'some day' })),
    )
    db.add('answers', answers)
    const read = await scanAll(openHermesHistory(db.path))
    const messages = [...read].map(([id, one]) => [id, one && 'messages' in one ? one.messages : one])
    expect(Object.fromEntries(messages)).toEqual({
      late: 250,
      early: 250,
      falling: 250,
      timeless: 250,
      answers: 2,
    })
  })

  it('names a session by its title, otherwise by its first message, otherwise not at all', async () => {
    const db = hermesDb(join(tempFolder(), 'state.db'))
    db.add('a', ['hello'])
    db.add('b', [{ role: 'assistant', content: 'hi' }, `one\ntwo ${'x'.repeat(80)}`], { title: null })
    db.add('c', [], { title: null })
    const key = `ghp_${'aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zAbCdE'}`
    db.add('d', [`with a key from here ${key} on`], { title: null })
    const titles = [...(await scanAll(openHermesHistory(db.path))).values()].map((one) =>
      one && 'contribution' in one ? one.contribution.title : one,
    )
    expect(titles).toEqual([
      'About a',
      `one two ${'x'.repeat(52)}...`,
      'Untitled',
      'with a key from here [redacted:github-token] on',
    ])
  })

  it('detects a change by the number and state of messages, not only by times', async () => {
    const db = hermesDb(join(tempFolder(), 'state.db'))
    for (const id of ['more', 'less', 'compacted', 'renamed', 'same']) db.add(id, ['a', 'b'])
    const history = openHermesHistory(db.path)
    const before = await fingerprints(history)
    db.run(`INSERT INTO messages (session_id, role, content, timestamp) VALUES ('more', 'user', 'c', 1)`)
    db.run(`DELETE FROM messages WHERE session_id = 'less' AND content = 'a'`)
    db.run(`UPDATE messages SET active = 0, compacted = 1 WHERE session_id = 'compacted' AND content = 'a'`)
    db.run(`UPDATE sessions SET title = 'x' WHERE id = 'renamed'`)
    const after = await fingerprints(history)
    const changed = [...after].filter(([id, fingerprint]) => before.get(id) !== fingerprint)
    expect(changed.map(([id]) => id)).toEqual(['compacted', 'less', 'more', 'renamed'])
  })

  it('loses only the sessions on damaged pages', async () => {
    const db = hermesDb(join(tempFolder(), 'state.db'))
    for (let n = 0; n < 20; n += 1) db.add(`s${String(n).padStart(2, '0')}`, ['x'.repeat(9_000)])
    const [row] = db.db
      .prepare("SELECT max(pageno) AS page FROM dbstat WHERE name = 'messages' AND pagetype = 'leaf'")
      .all()
    const size = Number(Object.values(db.db.prepare('PRAGMA page_size').get() ?? {})[0])
    db.db.close()
    const file = openSync(db.path, 'r+')
    writeSync(file, Buffer.alloc(size, 0xff), 0, size, (Number(row?.page) - 1) * size)
    closeSync(file)
    const read = [...(await scanAll(openHermesHistory(db.path))).values()]
    const failed = read.filter((one) => one && 'ok' in one)
    expect(failed.length).toBeGreaterThan(0)
    expect(failed.length).toBeLessThan(20)
    expect(failed[0]).toMatchObject({ ok: false, code: 'corrupt' })
  })

  it('reports a file that is not a database of Hermes, and the number of sessions without an id', async () => {
    const folder = tempFolder()
    const empty = join(folder, 'empty.db')
    writeFileSync(empty, '')
    const other = new DatabaseSync(join(folder, 'other.db'))
    other.exec('CREATE TABLE things (id INTEGER)')
    other.close()
    for (const file of [empty, join(folder, 'other.db')])
      expect(await openHermesHistory(file).list(never)).toMatchObject({
        ok: false,
        code: 'corrupt',
        message: expect.stringContaining(file),
      })
    const db = hermesDb(join(folder, 'state.db'))
    db.add('a', ['x'])
    db.run("INSERT INTO sessions (id, source, started_at) VALUES (x'0102', 'cli', 1)")
    expect(await openHermesHistory(db.path).list(never)).toMatchObject({
      sessions: [{ id: 'a' }],
      skipped: [{ place: db.path, reason: '1 of its sessions has an id that cannot be read' }],
    })
  })

  it('stops reading when it is aborted', async () => {
    const db = hermesDb(join(tempFolder(), 'state.db'))
    db.add('a', ['error'])
    const read = (await scanAll(openHermesHistory(db.path), AbortSignal.abort())).get('a')
    expect(read).toMatchObject({ ok: false, code: 'stopped' })
  })
})
