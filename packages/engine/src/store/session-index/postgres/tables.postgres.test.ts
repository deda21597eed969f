import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { message, session, sessionChanges, value } from '../conformance/lab.ts'
import type { SessionIndex } from '../port.ts'
import { openPostgresIndex } from './open.ts'
import { ask, tempSchema } from './postgres.test-kit.ts'

let temp: ReturnType<typeof tempSchema>
let index: SessionIndex

beforeEach(async () => {
  temp = tempSchema()
  index = value(await openPostgresIndex(temp.place))
})

afterEach(async () => {
  await index.close()
  await temp.remove()
})

const inSchema = (table: string) => `${temp.place.schema}.${table}`
const words = async () =>
  (await ask(`SELECT DISTINCT word FROM ${inSchema('index_words')} ORDER BY word`)).map(({ word }) => word)
const one = (id: string, text: string, fingerprint = id) =>
  sessionChanges(session(id, { fingerprint }), [message(text)])

describe('session index tables', () => {
  it('are rebuilt from an older version and refused, with advice, from a newer one', async () => {
    value(await index.write(one('s1', 'x')))
    await ask(`UPDATE ${inSchema('index_about')} SET version = 0`)
    await index.close()
    index = value(await openPostgresIndex(temp.place))
    expect(value(await index.list({ limit: 5 }))).toEqual([])
    await ask(`UPDATE ${inSchema('index_about')} SET version = 99`)
    const refused = await openPostgresIndex(temp.place)
    expect(refused).toMatchObject({ ok: false, code: 'invalid', message: expect.stringContaining('newer') })
  })

  it('contain no word of a forgotten session, including words removed earlier', async () => {
    value(await index.write([...one('s1', 'particular'), ...one('s2', 'common')]))
    value(await index.write(one('s1', 'other', 'new')))
    value(await index.write([{ type: 'drop', source: 'claude-code', id: 's1' }]))
    expect(await words()).toEqual(['common', 'other', 'particular'])
    value(await index.forget([{ source: 'claude-code', id: 's1' }]))
    expect(await words()).toEqual(['common'])
    expect(value(await index.search({ text: 'common ', limit: 5 }))).toHaveLength(1)
  })

  it('hold words in few segments, however often a session is sent', async () => {
    for (let n = 0; n < 40; n += 1) value(await index.write(one(`s${n % 3}`, `words of ${n}`, `f${n}`)))
    const [{ count } = { count: 0 }] = await ask(
      `SELECT count(*)::int AS count FROM ${inSchema('index_segments')}`,
    )
    expect(count).toBeLessThan(16)
    const found = value(await index.search({ text: 'words ', limit: 50 }))
    expect(found.map(({ session_id }) => session_id).sort()).toEqual(['s0', 's1', 's2'])
    expect((await words()).length).toBeLessThan(16)
  })
})

describe('session index shared by two processes', () => {
  it('accepts writes of one after the other', async () => {
    const other = value(await openPostgresIndex(temp.place))
    value(await index.write(one('s1', 'first')))
    value(await other.write(one('s2', 'second')))
    value(await index.write(one('s1', 'third', 'new')))
    value(await other.forget([{ source: 'claude-code', id: 's2' }]))
    await other.close()
    expect([...value(await index.fingerprints('claude-code'))]).toEqual([['s1', 'new']])
    expect(await words()).toEqual(['third'])
  })

  it('reports a discarded batch when the other wrote meanwhile, and accepts it again', async () => {
    const other = value(await openPostgresIndex(temp.place))
    const batch = index.batch()
    value(await batch.add(one('s1', 'first')))
    value(await other.write(one('s2', 'second')))
    expect(await batch.end()).toMatchObject({ ok: false, code: 'busy' })
    expect((await batch.add(one('s1', 'first'))).ok).toBe(false)
    value(await index.write(one('s1', 'first')))
    await other.close()
    expect([...value(await index.fingerprints('claude-code')).keys()].sort()).toEqual(['s1', 's2'])
  })

  it('answers queries during a write', async () => {
    const reader = value(await openPostgresIndex(temp.place, { readOnly: true }))
    value(await index.write(one('s0', 'always there')))
    let isOver = false
    const writing = (async () => {
      for (let n = 1; n < 30; n += 1) value(await index.write(one(`s${n % 4}`, `always ${n}`, `f${n}`)))
      isOver = true
    })()
    let lookups = 0
    for (; !isOver; lookups += 1) {
      const found = value(await reader.search({ text: 'always ', limit: 10 }))
      expect(found.length).toBeGreaterThan(0)
      expect(new Set(found.map(({ session_id }) => session_id)).size).toBe(found.length)
    }
    await writing
    await reader.close()
    expect(lookups).toBeGreaterThan(1)
  })
})
