import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { usePostgres } from '../../../../e2e/setup/shared-servers.ts'
import { answer, beginning, CONTEXT, ending, epoch, exchange, head } from './conformance/conversing-kit.ts'
import { appendAll, day, event, numbered, readEvents, take } from './conformance/event-kit.ts'
import { fold } from './conformance/fold.ts'
import { value } from './conformance/lab.ts'
import { projected, sorted } from './conformance/projecting.ts'
import type { EventStore } from './port.ts'
import { openPostgresStore } from './postgres/postgres-store.ts'

const url = usePostgres()
let schema = ''
let one: EventStore
let other: EventStore

const open = async () => value(await openPostgresStore({ url, schema }))

beforeEach(async () => {
  schema = `many_${randomUUID().replaceAll('-', '')}`
  // Both open at once, like hubs that start together.
  ;[one, other] = await Promise.all([open(), open()])
})

afterEach(async () => {
  await Promise.all([one.close(), other.close()])
  await withClient((client) => client.query(`DROP SCHEMA ${schema} CASCADE`))
})

/** Runs work with a client that has nothing but the store's tables. */
async function withClient(work: (client: Client) => Promise<unknown>): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}

describe('two processes with one PostgreSQL store', () => {
  it('write in turns and see what both wrote', async () => {
    const list = day(401, 3_000)
    for (let at = 0; at < list.length; at += 100)
      await appendAll(at % 200 === 0 ? one : other, list.slice(at, at + 100))
    for (const store of [one, other]) {
      expect(await readEvents(store)).toEqual(numbered(list))
      expect(await projected(store)).toEqual(sorted(fold(numbered(list))))
    }
    expect(value(await one.rebuild({ check: true })).differences).toBe(0)
    expect(value(await other.append(list.slice(0, 50)))).toMatchObject({ accepted: 0, duplicates: 50 })
  })

  it('deliver rows to subscribers that the other process appended', async () => {
    const following = take(other, 0, 500)
    await appendAll(one, day(402, 500), 20)
    expect((await following).map(({ seq }) => seq)).toEqual(Array.from({ length: 500 }, (_, n) => n + 1))
  })

  it('continue after the other process rebuilt the rows and cut the log', async () => {
    const list = day(403, 3_000)
    await appendAll(one, list.slice(0, 1_000))
    await appendAll(other, list.slice(1_000, 2_000))
    value(await one.rebuild({ check: false }))
    value(await one.retain({ before: list[500]?.ts }))
    await appendAll(other, list.slice(2_000))
    expect(await projected(one)).toEqual(sorted(fold(numbered(list))))
    expect(value(await one.rebuild({ check: true })).differences).toBe(0)
    expect(value(await other.head())).toEqual(value(await one.head()))
  })

  it('store no event of a session that the other process forgot', async () => {
    value(await other.append([event(1), event(2, { session_id: 'kept' })]))
    const gone = { source: 'custom', id: 's1' }
    value(await one.forgetting.begin([gone]))
    expect(value(await other.append([event(3), event(4, { session_id: 'kept' })])).accepted).toBe(1)
    value(await one.forgetting.remove([gone]))
    value(await one.forgetting.end([gone]))
    expect(other.forgetting.has(gone)).toBe(true)
    expect(value(await other.append([event(5)]))).toMatchObject({ accepted: 0, forgotten: 1 })
    const counted = (id: string) => ({ scope: 'all', source: 'custom', id, fingerprint: 'f', doc: '{}' })
    value(await other.achievementStore.contribute([counted('s1'), counted('kept')]))
    const contributions = value(await other.achievementStore.contributions('all', '', 9))
    expect(contributions.map(({ id }) => id)).toEqual(['kept'])
    expect((await readEvents(other)).map(({ session_id }) => session_id)).toEqual(['kept', 'kept'])
    expect(value(await other.rebuild({ check: true })).differences).toBe(0)
    expect(value(await other.verify())).toEqual([])
  })

  it('identify sessions and agents by the longest possible names', async () => {
    const long = (name: string) => name.repeat(512)
    const list = ['長', '短'].flatMap((name, n) => [
      event(n, {
        source: long('源'),
        session_id: long(name),
        event: 'agent_spawn',
        id: long('員'),
        key: `a${n}`,
      }),
      event(n, { source: long('源'), session_id: long(name), event: 'session_end', key: `b${n}` }),
    ])
    await appendAll(one, list.slice(0, 3))
    await appendAll(other, list.slice(3))
    expect(await projected(other)).toEqual(sorted(fold(numbered(list))))
    expect(value(await one.rebuild({ check: true })).differences).toBe(0)
    const agents = value(await one.agents({ session: long('短'), limit: 9 })).value
    expect(agents.map(({ id }) => id)).toEqual([long('員')])
    expect(value(await one.agentsAt({ seq: 3 })).value).toHaveLength(2)
  })

  it('have one run of a conversation at a time, which one of them ends', async () => {
    value(await one.conversations.create(head('c')))
    for (let round = 0; round < 10; round += 1) {
      const turns = [`a${round}`, `b${round}`] as const
      const begun = await Promise.all([
        one.conversations.begin(beginning('c', turns[0])),
        other.conversations.begin(beginning('c', turns[1])),
      ])
      expect(begun.map((each) => (each.ok ? 'begun' : each.code)).sort()).toEqual(['begun', 'busy'])
      const turn = begun[0].ok ? turns[0] : turns[1]
      const compartment = { runtime: 'jarvis', was: round, value: { rev: round } }
      const end = { ...ending('c', turn), compartment }
      const results = await Promise.all([one.conversations.end(end), other.conversations.end(end)])
      expect(results.filter(({ ok }) => ok)).toEqual([{ ok: true, value: { state_revision: round + 1 } }])
      expect(results.find(({ ok }) => !ok)).toMatchObject({ code: 'invalid' })
    }
    const stored = value(await other.conversations.get('c'))
    expect(stored).toMatchObject({ messages_count: 20, agent_state: { runtimes: { jarvis: { rev: 10 } } } })
    expect(stored?.messages.map(({ role }) => role)).toEqual(Array(10).fill(['user', 'assistant']).flat())
  })

  it('leave runs of the other alone while it lives, and end those of a dead process', async () => {
    for (const id of ['c', 'd']) value(await one.conversations.create(head(id)))
    value(await one.conversations.begin(beginning('c', 'mine')))
    value(await other.conversations.begin(beginning('d', 'theirs')))
    const left = async (store: EventStore) =>
      value(await store.conversations.unended()).map(({ run_id }) => run_id)
    expect(await left(one)).toEqual(['mine-run'])
    expect(await left(other)).toEqual(['theirs-run'])
    expect(value(await other.conversations.unended({ others: true }))).toEqual([])
    await other.close()
    expect(await left(one)).toEqual(['mine-run', 'theirs-run'])
    expect(value(await one.conversations.unended({ others: true }))).toEqual([
      { conversation: 'd', run_id: 'theirs-run' },
    ])
    const third = await open()
    expect(await left(third)).toEqual(['theirs-run'])
    await third.close()
  })

  it('leave commands for a run of the other, which takes each once and the first of several answers', async () => {
    value(await one.conversations.create(head('c')))
    value(await one.conversations.begin(beginning('c', 'mine')))
    const answerWish = (choice: string) => ({ wants: 'answer', request: 'ask\0', choice }) as const
    const wishes = ['yes', 'no\0'].map((choice) =>
      other.conversations.sendRemoteCommand('c', 'mine-run', answerWish(choice)),
    )
    const accepted = (await Promise.all(wishes)).map(value)
    expect(accepted.toSorted()).toEqual([false, true])
    const stop = { wants: 'stop' } as const
    expect(value(await other.conversations.sendRemoteCommand('c', 'mine-run', stop))).toBe(true)
    expect(value(await other.conversations.sendRemoteCommand('c', 'mine-run', stop))).toBe(false)
    const first = answerWish(accepted[0] ? 'yes' : 'no\0')
    const taken = await Promise.all(
      [1, 2].map(() => one.conversations.takeRemoteCommands('mine-run').then(value)),
    )
    expect(taken.flat()).toEqual([first, stop])
    expect(value(await one.conversations.takeRemoteCommands('mine-run'))).toEqual([])
  })

  it('leave no command for a run that ended, lost its process, or was forgotten', async () => {
    const stop = { wants: 'stop' } as const
    const gone = { ok: false, code: 'not_found' }
    const left = () =>
      withClient(async (client) => {
        const { rows } = await client.query(`SELECT * FROM ${schema}.chat_wishes`)
        expect(rows).toEqual([])
      })
    for (const id of ['c', 'd', 'e']) value(await one.conversations.create(head(id)))
    for (const id of ['c', 'd', 'e']) {
      value(await one.conversations.begin(beginning(id, id)))
      expect(value(await other.conversations.sendRemoteCommand(id, `${id}-run`, stop))).toBe(true)
    }
    value(await one.conversations.end(ending('c', 'c')))
    expect(await other.conversations.sendRemoteCommand('c', 'c-run', stop)).toMatchObject(gone)
    const forgotten = [{ source: 'panoptes', id: 'd' }]
    value(await other.forgetting.begin(forgotten))
    value(await other.forgetting.remove(forgotten))
    expect(await other.conversations.sendRemoteCommand('d', 'd-run', stop)).toMatchObject(gone)
    await one.close()
    expect(await other.conversations.sendRemoteCommand('e', 'e-run', stop)).toMatchObject(gone)
    value(await other.conversations.end(ending('e', 'e')))
    await left()
  })

  it('forget a fact for good while the other continues conversations that mention it', async () => {
    for (const id of ['c', 'd', 'e']) {
      value(await one.conversations.create(head(id)))
      for (const turn of ['one', 'two']) await exchange(one.conversations, id, `${id}-${turn}`)
    }
    for (let round = 0; round < 10; round += 1) {
      value(await one.conversations.remember({ id: `f${round}`, ts: 1, text: `tea ${round}` }))
      const context = `known:\n- tea ${round}\nend\0`
      for (const id of ['c', 'd', 'e']) {
        value(await other.conversations.setEpoch(id, epoch({ baseline: context })))
        value(await other.conversations.setSent(`${id}-one-u`, { context: CONTEXT, text: context }))
      }
      const replacing = ['c', 'd', 'e'].map((id) =>
        exchange(other.conversations, id, `${id}-${round}`, {
          replaces: round === 0 ? `${id}-two-u` : `${id}-${round - 1}-u`,
        }),
      )
      expect(value(await one.conversations.forgetFact(`f${round}`, `- tea ${round}`))).toBe(true)
      await Promise.all(replacing)
      for (const id of ['c', 'd', 'e']) {
        const window = value(await one.conversations.window(id, { chars: 1_000 }))
        expect(window?.epoch?.baseline).toBe('known:\n- (forgotten)\nend\0')
        expect(window?.preambles.get(`${id}-one-u`)).toBe('known:\n- (forgotten)\nend\0')
      }
    }
  })

  it('forget a fact without blocking somebody who holds a conversation', async () => {
    value(await one.conversations.create(head('c')))
    await exchange(one.conversations, 'c', 'one')
    value(await one.conversations.remember({ id: 'f', ts: 1, text: 'tea' }))
    value(await one.conversations.setEpoch('c', epoch({ baseline: '\n- tea\n' })))
    value(await one.conversations.setSent('one-u', { context: CONTEXT, text: '\n- tea\n' }))
    await withClient(async (client) => {
      await client.query(`SET search_path = ${schema}`)
      const own = await client.query('SELECT pg_backend_pid() AS pid')
      const waiting = async () => {
        const found = await client.query(
          'SELECT FROM pg_stat_activity WHERE $1 = ANY(pg_blocking_pids(pid))',
          [own.rows[0].pid],
        )
        return found.rowCount
      }
      await client.query('BEGIN')
      await client.query(`SELECT FROM conversations WHERE id = 'c' FOR UPDATE`)
      const forgetting = other.conversations.forgetFact('f', '- tea')
      await expect.poll(waiting).toBe(1)
      await client.query(`UPDATE chat_messages SET files = NULL WHERE conversation = 'c'`)
      await client.query('COMMIT')
      expect(value(await forgetting)).toBe(true)
    })
    const window = value(await one.conversations.window('c', { chars: 1_000 }))
    expect(window?.epoch?.baseline).toBe('\n- (forgotten)\n')
    expect(window?.preambles.get('one-u')).toBe('\n- (forgotten)\n')
  })

  it('leave no trace of a forgotten conversation while the other process writes into it', async () => {
    const gone = [{ source: 'panoptes', id: 'c' }]
    value(await one.conversations.create(head('c')))
    const files = [{ name: 'a.md', media_type: 'text/plain', text: 'words' }]
    value(await one.conversations.begin(beginning('c', 'one', { files })))
    value(await one.forgetting.begin(gone))
    const part = { conversation: 'c', run_id: 'one-run', answer: answer('one'), events: '{}\n' }
    const writing = Array.from({ length: 30 }, () => other.conversations.progress(part))
    value(await one.forgetting.remove(gone))
    const codes = (await Promise.all(writing)).map((each) => (each.ok ? 'stored' : each.code))
    expect(codes.filter((code) => code !== 'stored' && code !== 'not_found')).toEqual([])
    expect(value(await other.conversations.events('one-run'))).toBeNull()
    expect(value(await other.conversations.files('one-u'))).toEqual([])
  })

  it('keep the events of active runs, however many events came since', async () => {
    for (const id of ['c', 'd', 'e']) value(await one.conversations.create(head(id)))
    value(await one.conversations.begin(beginning('c', 'one')))
    const part = { conversation: 'c', run_id: 'one-run', answer: answer('one'), events: '{}\n' }
    value(await one.conversations.progress(part))
    await exchange(one.conversations, 'd', 'two')
    await withClient((client) =>
      client.query(
        `INSERT INTO ${schema}.chat_runs (id, conversation, events) SELECT 'x', 'x', '' FROM generate_series(1, 20000)`,
      ),
    )
    value(await other.conversations.begin(beginning('e', 'three')))
    expect(value(await other.conversations.events('one-run'))).toEqual({ conversation: 'c', events: '{}\n' })
    expect(value(await other.conversations.events('two-run'))).toBeNull()
  })
})

it('refuse a schema name that could be read as something else', async () => {
  const refused = await openPostgresStore({ url, schema: 'public; DROP TABLE x' })
  expect(refused).toMatchObject({ ok: false, code: 'invalid' })
})

it('report a server that does not answer, without the password', async () => {
  const refused = await openPostgresStore({ url: 'postgres://a:secret@127.0.0.1:1/x', schema: 'team' })
  expect(refused).toMatchObject({
    ok: false,
    code: 'busy',
    message: expect.stringContaining('127.0.0.1:1/x'),
  })
  expect(JSON.stringify(refused)).not.toContain('secret')
})
