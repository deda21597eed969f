import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { clockAt, clockFrom } from './stamps.ts'
import { Statements } from './statements.ts'

const FORGOTTEN = -1
const START = { seq: 0, clock: 0 }

function createLog(stamps: readonly number[]): Statements {
  const db = new DatabaseSync(':memory:')
  db.exec('CREATE TABLE events (seq INTEGER PRIMARY KEY, ts INTEGER NOT NULL)')
  const insert = db.prepare('INSERT INTO events VALUES (?, ?)')
  stamps.forEach((ts, i) => {
    insert.run(i + 1, ts)
  })
  return new Statements(db)
}

it('computes the same clock as the log, wherever it began to follow the events', () => {
  const stamps = fc.array(fc.oneof(fc.nat(1_000_000), fc.constant(FORGOTTEN)), {
    minLength: 1,
    maxLength: 1_200,
  })
  fc.assert(
    fc.property(stamps, fc.nat(1_200), (list, begin) => {
      const statements = createLog(list)
      const from = Math.min(begin, list.length)
      const clock = clockFrom(statements, START, from)
      list.slice(from).forEach((ts, i) => {
        if (ts !== FORGOTTEN) clock.saw(from + i + 1, ts)
      })
      expect(clock.at(list.length)).toBe(clockAt(statements, START, list.length))
    }),
    { numRuns: 50 },
  )
})
