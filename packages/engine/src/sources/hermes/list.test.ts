import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { all } from '../conformance/records.ts'
import { fingerprints, listAll, makeState, tempHome } from './hermes.test-kit.ts'
import { hermesHome, hermesSource } from './index.ts'

const changes: Readonly<Record<string, string>> = {
  'a new message':
    "INSERT INTO messages (session_id, role, content, timestamp) VALUES ('b', 'user', 'x', 1790000002)",
  'a title': "UPDATE sessions SET title = 'new' WHERE id = 'b'",
  'tokens that were counted': "UPDATE sessions SET input_tokens = 5 WHERE id = 'b'",
  compaction: "UPDATE messages SET active = 0, compacted = 1 WHERE session_id = 'b' AND content = '1'",
  'a rewind': "UPDATE messages SET active = 0 WHERE session_id = 'b' AND content = '2'",
  'a rewind of another message': `UPDATE messages SET active = content <> '1' WHERE session_id = 'b' AND content IN ('1', '2')`,
  'messages that were written anew':
    "DELETE FROM messages WHERE session_id = 'b' AND content = '2'; INSERT INTO messages (session_id, role, content, timestamp) VALUES ('b', 'user', '2', 1790000001)",
  'the end of the session': "UPDATE sessions SET ended_at = 1790000009, end_reason = 'idle' WHERE id = 'b'",
}

for (const journal of ['wal', 'delete'] as const)
  it(`sees what changed, and in no other session (${journal})`, async () => {
    const home = tempHome()
    const { db, session, message } = makeState(home, { journal })
    for (const id of ['a', 'b', 'c']) {
      session({ id })
      for (const content of ['1', '2', '3']) message({ session_id: id, content })
    }
    const source = hermesSource(home)
    let before = await fingerprints(source)
    expect([...before.keys()].sort()).toEqual(['a', 'b', 'c'])
    for (const [what, sql] of Object.entries(changes)) {
      db.exec(sql)
      const after = await fingerprints(source)
      expect(after.get('b'), what).not.toBe(before.get('b'))
      expect([after.get('a'), after.get('c')], what).toEqual([before.get('a'), before.get('c')])
      expect(await fingerprints(hermesSource(home)), what).toEqual(after)
      before = after
    }
  })

it('detects in a session a change of its parent', async () => {
  const home = tempHome()
  const { db, session } = makeState(home)
  session({ id: 'parent' })
  session({ id: 'child', parent_session_id: 'parent' })
  const source = hermesSource(home)
  const before = await fingerprints(source)
  db.exec("UPDATE sessions SET ended_at = 1790000001, end_reason = 'compression' WHERE id = 'parent'")
  expect((await fingerprints(source)).get('child')).not.toBe(before.get('child'))
})

it('lists the newest session first', async () => {
  const home = tempHome()
  const { session } = makeState(home)
  session({ id: 'a', started_at: 1_790_000_002 })
  session({ id: 'b', started_at: 1_790_000_003 })
  session({ id: 'c', started_at: 1_790_000_001, last_activity_at: 1_790_000_009 })
  expect((await listAll(hermesSource(home))).map(({ id }) => id)).toEqual(['c', 'b', 'a'])
})

it('orders sessions and states correctly without indexes', async () => {
  const home = tempHome()
  const { db, session, message } = makeState(home)
  for (const id of ['a', 'b']) session({ id })
  for (const id of ['a', 'b', 'a']) message({ session_id: id, content: 'x' })
  db.exec('DROP INDEX idx_messages_session_active')
  const source = hermesSource(home)
  const before = await fingerprints(source)
  db.exec('DROP INDEX idx_messages_session; DROP INDEX idx_messages_session_id')
  expect(await fingerprints(source)).toEqual(before)
  db.exec("UPDATE messages SET active = 0 WHERE session_id = 'a'")
  const after = await fingerprints(source)
  expect(after.get('a')).not.toBe(before.get('a'))
  expect(after.get('b')).toBe(before.get('b'))
})

it('finds profiles and gives sessions of a copied profile distinct names', async () => {
  const home = tempHome()
  const own = makeState(home)
  own.session({ id: 'one' })
  own.db.close()
  cpSync(join(home, 'state.db'), join(home, 'profiles', 'work', 'state.db'))
  makeState(home, { profile: 'play' }).session({ id: 'two' })
  const listed = await listAll(hermesSource(home))
  expect(listed.map(({ id }) => id).sort()).toEqual(['one', 'one@work', 'two'])
  const source = hermesSource(home)
  for (const one of listed) {
    const last = (await all(source.read(one))).at(-1)
    expect(last).toMatchObject({ kind: 'session', session: { id: one.id } })
  }
})

it('looks in the folder that the environment names', () => {
  expect(hermesHome({ HERMES_HOME: '/srv/h', HOME: '/home/dev' })).toBe('/srv/h')
  expect(hermesHome({ HOME: '/home/dev' }, 'linux')).toBe(join('/home/dev', '.hermes'))
  expect(hermesHome({ LOCALAPPDATA: '/local' }, 'win32')).toBe(join('/local', 'hermes'))
})
