import { DatabaseSync } from 'node:sqlite'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { archiveTables } from '../session-archive/sqlite.ts'
import { Changes } from './changes.ts'
import { message, session, sessionChanges } from './conformance/lab.ts'
import { Parts } from './parts.ts'
import { tables } from './schema.ts'
import { searched } from './search.ts'

let db: DatabaseSync
let changes: Changes

beforeEach(() => {
  db = new DatabaseSync(':memory:')
  onTestFinished(() => db.close())
  db.exec(archiveTables + tables)
  changes = new Changes(db, new Parts(db, 3))
})

const tell = (id: string, last_at: number, ...texts: string[]) =>
  changes.write(
    sessionChanges(
      session(id, { last_at }),
      texts.map((text) => message(text)),
    ),
  )
const parts = () =>
  db
    .prepare('SELECT number FROM parts ORDER BY number')
    .all()
    .map(({ number }) => number)
const found = (text: string, limit = 10) =>
  searched(db, { text, limit }).map((hit) => `${hit.session_id} ${hit.n}`)

describe('session index parts', () => {
  it('are created one after the other and searched as one', () => {
    for (let n = 0; n < 6; n += 1) tell(`s${n}`, n, 'shared words', `only${n}`)
    expect(parts()).toEqual([1, 2, 3])
    expect(found('only0 ')).toEqual(['s0 1'])
    expect(found('only5 ')).toEqual(['s5 1'])
    expect(found('shared ')).toHaveLength(6)
    expect(found('only')).toHaveLength(6)
  })

  it('lose a session that is sent again, and are deleted when empty', () => {
    for (let n = 0; n < 4; n += 1) tell(`s${n}`, n, 'one', 'two')
    expect(parts()).toEqual([1, 2])
    tell('s0', 10, 'other')
    expect(found('one ')).toHaveLength(3)
    tell('s1', 11, 'other')
    expect(parts()).toEqual([2, 3])
    expect(found('one ').sort()).toEqual(['s2 0', 's3 0'])
    expect(found('other ').sort()).toEqual(['s0 0', 's1 0'])
  })

  it('continue in a file that was closed', () => {
    tell('s0', 0, 'one', 'two')
    changes = new Changes(db, new Parts(db, 3))
    tell('s1', 1, 'one', 'two')
    tell('s2', 2, 'one')
    expect(parts()).toEqual([1, 2])
    expect(found('one ')).toHaveLength(3)
  })

  it('return the newest matches first, in whichever order sessions were read', () => {
    const many = Array.from({ length: 400 }, () => 'everywhere')
    changes = new Changes(db, new Parts(db, 2_000))
    for (const at of [9, 8, 7, 6, 5]) tell(`falling ${at}`, at, ...many)
    const newest = new Set(searched(db, { text: 'everywhere ', limit: 1_000 }).map((hit) => hit.session_id))
    expect([...newest].sort()).toEqual(['falling 7', 'falling 8', 'falling 9'])
    for (const at of [11, 12, 13]) tell(`rising ${at}`, at, ...many)
    const then = new Set(searched(db, { text: 'everywhere ', limit: 1_000 }).map((hit) => hit.session_id))
    expect([...then].sort()).toEqual(['rising 11', 'rising 12', 'rising 13'])
  })
})
