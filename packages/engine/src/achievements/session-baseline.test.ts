import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { count, hermesDb, hermesOf, openHome, settle, tempFolder, tempHome } from './achievements.test-kit.ts'
import { openHermesHistory } from './hermes-history.ts'
import { scanHistory } from './scan-history.ts'
import { raised, type SessionRecord } from './stored-contribution.ts'

const calls = (many: number) =>
  Array.from({ length: many }, () => ({
    role: 'assistant',
    content: 'error',
    tool_calls: '[{"name": "terminal"}]',
  }))

/** A database with one session, and its counted values after each scan. */
function lab() {
  const db = hermesDb(join(tempFolder(), 'state.db'))
  const known = new Map<string, SessionRecord>()
  let time = 2_000_000_000
  const look = async (full = false) => {
    const history = openHermesHistory(db.path)
    await scanHistory({
      scope: 'hermes',
      history,
      known,
      set: (id, kept) => known.set(id, kept),
      isForgotten: () => false,
      full,
      signal: new AbortController().signal,
      keep: () => undefined,
      progress: () => undefined,
    })
    history.close()
    const {
      tool_call_count: called = 0,
      error_count: errors = 0,
      distinct_tool_count: tools = 0,
    } = known.get('a')?.contribution?.values ?? {}
    return [called, errors, tools]
  }
  const more = (many: number) => {
    for (const one of calls(many)) {
      time += 1
      db.run(
        `INSERT INTO messages (session_id, role, content, tool_calls, timestamp) VALUES ('a', 'assistant', '${one.content}', '${one.tool_calls}', ${time})`,
      )
    }
  }
  return { db, look, more }
}

describe('session that lost rows', () => {
  it('continues from its earlier values, whether it was read in between or not', async () => {
    for (const between of [true, false]) {
      const { db, look, more } = lab()
      db.add('a', calls(63))
      expect(await look()).toEqual([63, 63, 1])
      db.run('DELETE FROM messages WHERE id < 60')
      if (between) expect(await look()).toEqual([63, 63, 1])
      more(10)
      expect(await look()).toEqual([73, 73, 1])
      expect(await look(true)).toEqual([73, 73, 1])
      db.run('DELETE FROM messages')
      expect(await look()).toEqual([73, 73, 1])
      more(2)
      expect(await look()).toEqual([75, 75, 1])
    }
  })

  it('does not count rows again that were rewritten under other ids', async () => {
    const { db, look, more } = lab()
    db.add('a', calls(20))
    await look()
    const columns = 'session_id, role, content, tool_calls, timestamp'
    db.run(`INSERT INTO messages (${columns}) SELECT ${columns} FROM messages WHERE id > 15`)
    db.run('DELETE FROM messages WHERE id <= 20')
    expect(await look()).toEqual([20, 20, 1])
    more(3)
    expect(await look()).toEqual([23, 23, 1])
  })

  it('is counted as Hermes does if no rows vanished: compaction and rewinding keep them', async () => {
    const { db, look, more } = lab()
    db.add('a', calls(20))
    await look()
    db.run('UPDATE messages SET active = 0, compacted = 1 WHERE id <= 10')
    more(2)
    expect(await look()).toEqual([22, 22, 1])
    db.run('UPDATE messages SET active = 0 WHERE id > 20')
    expect(await look()).toEqual([22, 22, 1])
    more(3)
    expect(await look()).toEqual([23, 23, 1])
  })
})

describe('values of a session', () => {
  it('never fall, whatever is read later', () => {
    const before = { values: { git_events: 5 }, model: 'a' } as never
    expect(raised(before, { values: { git_events: 3 }, model: 'a' } as never).values.git_events).toBe(5)
  })

  it('include a message that compaction archived later', async () => {
    const home = tempHome()
    const db = hermesOf(home)
    db.add('a', ['error', { content: 'error', active: 0 }])
    const { achievements } = await openHome(home)
    await settle(achievements)
    expect(await count(achievements)).toMatchObject({ total_errors: 1 })
    db.run('UPDATE messages SET compacted = 1 WHERE active = 0')
    expect((await settle(achievements)).scan_meta).toMatchObject({ sessions_rescanned: 1 })
    expect(await count(achievements)).toMatchObject({ total_errors: 2 })
  })
})
