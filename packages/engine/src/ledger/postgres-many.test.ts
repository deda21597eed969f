import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest'
import { fold } from './conformance/fold.ts'
import { appendAll, day, event, numbered, readEvents, take } from './conformance/kit.ts'
import { value } from './conformance/lab.ts'
import { projected, sorted } from './conformance/projecting.ts'
import type { Ledger } from './port.ts'
import { openPostgresLedger } from './postgres/ledger.ts'

const url = inject('postgres')
let schema = ''
let one: Ledger
let other: Ledger

const open = async () => value(await openPostgresLedger({ url, schema })) as Ledger

beforeEach(async () => {
  schema = `many_${randomUUID().replaceAll('-', '')}`
  // At once, as hubs that come up together.
  ;[one, other] = await Promise.all([open(), open()])
})

afterEach(async () => {
  await Promise.all([one.close(), other.close()])
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query(`DROP SCHEMA ${schema} CASCADE`)
  await client.end()
})

describe('two that have a PostgreSQL ledger open', () => {
  it('write in turns and see what both wrote', async () => {
    const list = day(401, 3_000)
    for (let at = 0; at < list.length; at += 100)
      await appendAll(at % 200 === 0 ? one : other, list.slice(at, at + 100))
    for (const ledger of [one, other]) {
      expect(await readEvents(ledger)).toEqual(numbered(list))
      expect(await projected(ledger)).toEqual(sorted(fold(numbered(list))))
    }
    expect(value(await one.rebuild({ check: true })).differences).toBe(0)
    expect(value(await other.append(list.slice(0, 50)))).toMatchObject({ accepted: 0, duplicates: 50 })
  })

  it('follow each other', async () => {
    const following = take(other, 0, 500)
    await appendAll(one, day(402, 500), 20)
    expect((await following).map(({ seq }) => seq)).toEqual(Array.from({ length: 500 }, (_, n) => n + 1))
  })

  it('go on with the rows that the other rebuilt, and the base that the other cut', async () => {
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

  it('store nothing of a session that the other forgot', async () => {
    value(await other.append([event(1), event(2, { session_id: 'kept' })]))
    const gone = { source: 'custom', id: 's1' }
    value(await one.forgetting.begin([gone]))
    expect(value(await other.append([event(3), event(4, { session_id: 'kept' })])).accepted).toBe(1)
    value(await one.forgetting.remove([gone]))
    value(await one.forgetting.end([gone]))
    expect(other.forgetting.has(gone)).toBe(true)
    expect(value(await other.append([event(5)]))).toMatchObject({ accepted: 0, forgotten: 1 })
    expect((await readEvents(other)).map(({ session_id }) => session_id)).toEqual(['kept', 'kept'])
    expect(value(await other.rebuild({ check: true })).differences).toBe(0)
    expect(value(await other.verify())).toEqual([])
  })

  it('know sessions and agents by the longest names there can be', async () => {
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
})

it('a schema that could be read as something else is refused', async () => {
  const refused = await openPostgresLedger({ url, schema: 'public; DROP TABLE x' })
  expect(refused).toMatchObject({ ok: false, code: 'invalid' })
})

it('a server that does not answer is said, without the password', async () => {
  const refused = await openPostgresLedger({ url: 'postgres://a:secret@127.0.0.1:1/x', schema: 'team' })
  expect(refused).toMatchObject({
    ok: false,
    code: 'busy',
    message: expect.stringContaining('127.0.0.1:1/x'),
  })
  expect(JSON.stringify(refused)).not.toContain('secret')
})
