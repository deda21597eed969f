import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readFile, tempFolder } from './achievements.test-kit.ts'
import { readCheckpoint, writeCheckpoint } from './checkpoint.ts'
import { writeJson } from './files.ts'
import { SESSION_VALUES } from './metrics.ts'
import { complete, fromRow, type SessionRecord, toRow } from './stored-contribution.ts'
import { WATCHED } from './threshold-times.ts'

const text = fc.string({ unit: 'binary' }).filter((one) => one.isWellFormed() && one !== '__proto__')
const moment = fc.option(fc.integer({ min: 1, max: 8e12 }))
const values = fc
  .dictionary(fc.constantFrom(...SESSION_VALUES), fc.integer({ min: 1, max: 1e6 }))
  .map((some) => complete(some))
const seen = fc.record({ rows: fc.nat(), last: fc.nat(), time: fc.option(fc.integer({ min: 0, max: 1e9 })) })
const contribution = fc.record(
  {
    title: text,
    source: text,
    model: fc.option(text),
    started_at: moment,
    last_at: moment,
    values,
    earlier_models: fc.array(text, { minLength: 1, maxLength: 3 }),
    skipped: fc.array(fc.record({ place: text, reason: text }), { minLength: 1, maxLength: 2 }),
    passed: fc.dictionary(fc.constantFrom(...WATCHED), fc.constant({ '200': 5 }), { minKeys: 1 }),
    seen,
    base: fc.record({ values, since: seen }),
  },
  { requiredKeys: ['title', 'source', 'model', 'started_at', 'last_at', 'values'] },
)
const known = fc.dictionary(
  text,
  fc.oneof(
    contribution.map((one) => ({ fingerprint: 'f', contribution: one })),
    fc.record({ last_at: moment, message_count: fc.nat() }).map((apart) => ({
      fingerprint: 'g',
      contribution: undefined,
      apart,
    })),
  ),
)

const plain = (value: unknown) => JSON.parse(JSON.stringify(value))
const KEPT = {
  fingerprint: 'f',
  contribution: {
    session_id: 's',
    title: 'A',
    source: 'cli',
    model: null,
    started_at: 1,
    last_at: 2,
    values: complete({}),
  },
}

describe('checkpoint file', () => {
  it('returns what was written, as the event store does', () => {
    const file = join(tempFolder(), 'checkpoint.json')
    fc.assert(
      fc.property(known, (some) => {
        const all = new Map(
          Object.entries(some).map(([id, kept]): [string, SessionRecord] => [
            id,
            kept.contribution
              ? ({ ...kept, contribution: { ...kept.contribution, session_id: id } } as SessionRecord)
              : kept,
          ]),
        )
        expect(writeCheckpoint(file, '/state.db', all)).toBeUndefined()
        expect(plain([...readCheckpoint(file, '/state.db')])).toEqual(plain([...all]))
        for (const [id, kept] of all)
          expect(plain(fromRow(toRow('s', 'hermes', id, kept)))).toEqual(plain(kept))
      }),
      { numRuns: 100 },
    )
  })

  it('is ignored for another database', () => {
    const file = join(tempFolder(), 'checkpoint.json')
    writeCheckpoint(file, '/a/state.db', new Map([['s', KEPT]]))
    expect(readCheckpoint(file, '/b/state.db').size).toBe(0)
    expect(readCheckpoint(file, '/a/state.db').size).toBe(1)
    writeJson(file, { ...readFile(file), database: undefined })
    expect(readCheckpoint(file, '/a/state.db').size).toBe(0)
  })

  it('contains the time and message count even of a session that never counts', () => {
    const file = join(tempFolder(), 'checkpoint.json')
    const apart = { last_at: 5_000, message_count: 3 }
    writeCheckpoint(file, '/a', new Map([['s', { fingerprint: 'f', contribution: undefined, apart }]]))
    expect(readFile(file).sessions.s.fingerprint).toEqual({ updated_at: 5, message_count: 3, hash: 'f' })
  })

  it.each([
    null,
    5,
    'x',
    [],
    {},
    { metrics: null },
    { metrics: [] },
    { metrics: { git_events: 'many' } },
    { metrics: 3 },
  ])('skips malformed content: %j', (contribution) => {
    const file = join(tempFolder(), 'checkpoint.json')
    writeCheckpoint(file, '/a', new Map([['s', KEPT]]))
    const written = readFile(file)
    const odd = { fingerprint: { hash: 'h' }, contribution }
    writeJson(file, { ...written, sessions: { ...written.sessions, odd, none: null, text: 'x' } })
    expect([...readCheckpoint(file, '/a').keys()]).toEqual(['s'])
    writeJson(file, { ...written, sessions: contribution })
    expect(readCheckpoint(file, '/a').size).toBe(0)
  })
})
