import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { EventFilter } from '../port.ts'
import { readEvents } from './event-reader.ts'
import { migrate } from './migrations.ts'
import { Statements } from './statements.ts'

const EVENTS = 60_000
/** The average number of milliseconds between two events. */
const STEP = 50
const DAY = 86_400_000

/**
 * The first half keeps its timestamps close to its order; the second half is shuffled over the following
 * days.
 */
const eventTime = (seq: number): number =>
  seq <= EVENTS / 2
    ? DAY + seq * STEP + ((seq * 7 * STEP) % (5 * STEP))
    : 2 * DAY + ((seq * 7_919) % EVENTS) * STEP

describe('time span in a long log', () => {
  const db = new DatabaseSync(':memory:')
  let statements: Statements

  beforeAll(() => {
    migrate(db)
    const insert = db.prepare(
      "INSERT INTO events VALUES (?1, 'k' || ?1, ?2, 'prompt', 'custom', ?3, NULL, 0, '{\"n\":1}')",
    )
    db.exec('BEGIN')
    for (let seq = 1; seq <= EVENTS; seq += 1) insert.run(seq, eventTime(seq), `s${seq % 5}`)
    db.exec('COMMIT')
    statements = new Statements(db)
  }, 180_000)
  afterAll(() => db.close())

  const seqs = (filter: EventFilter, down: boolean): number[] => {
    const found: number[] = []
    let at: number | null = down ? EVENTS + 1 : 0
    while (at !== null) {
      const page = readEvents(
        statements,
        down ? { before: at, limit: 1_000 } : { after: at, limit: 1_000 },
        filter,
      )
      for (const row of page.rows) found.push(row.seq)
      at = page.next
    }
    return found
  }

  const wanted = (since: number, until: number, down: boolean, session?: string): number[] => {
    const all = Array.from({ length: EVENTS }, (_, n) => n + 1).filter((seq) => {
      const ts = eventTime(seq)
      return ts >= since && ts < until && (session === undefined || `s${seq % 5}` === session)
    })
    return down ? all.toReversed() : all
  }

  /** Takes the best of three, to leave out what a busy machine adds. */
  const took = (work: () => unknown): number => {
    const times = [1, 2, 3].map(() => {
      const start = performance.now()
      work()
      return performance.now() - start
    })
    return Math.min(...times)
  }

  it.each([
    ['a moment', DAY + 700_000, DAY + 700_300],
    ['some, in order', DAY + 200_000, DAY + 700_000],
    ['few, shuffled', 2 * DAY + 5_000, 2 * DAY + 9_000],
    ['some, shuffled', 2 * DAY + 5_000, 2 * DAY + 800_000],
    ['nearly all', DAY + 5, 9 * DAY],
    ['none', 0, 5],
  ])('returns exactly its events: %s', (_, since, until) => {
    for (const down of [false, true]) {
      expect(seqs({ since, until }, down)).toEqual(wanted(since, until, down))
      expect(seqs({ since, until, session: 's3' }, down)).toEqual(wanted(since, until, down, 's3'))
    }
  })

  it('includes events appended between two pages', () => {
    const filter = { since: 9 * DAY, until: 10 * DAY }
    expect(seqs(filter, false)).toEqual([])
    db.exec(
      `INSERT INTO events VALUES (${EVENTS + 1}, 'late', ${9 * DAY}, 'prompt', 'custom', 's1', NULL, 0, '{"n":1}')`,
    )
    expect(seqs(filter, false)).toEqual([EVENTS + 1])
    db.exec(`DELETE FROM events WHERE seq = ${EVENTS + 1}`)
  })

  it('costs about as much as the whole log when it holds nearly all, and almost nothing when it holds few', () => {
    const plain = took(() => seqs({}, false))
    expect(took(() => seqs({ since: 1 }, false))).toBeLessThan(4 * plain + 200)
    for (const since of [DAY + 1_000_000, 2 * DAY + 1_000_000])
      expect(took(() => seqs({ since, until: since + 1_000 }, false))).toBeLessThan(plain / 4 + 20)
  })
})
