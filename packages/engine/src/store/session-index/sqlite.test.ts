import { statSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { describeSessionIndex } from './conformance/index.ts'
import { message, session, sessionChanges, value } from './conformance/lab.ts'
import type { SessionIndex } from './port.ts'
import { sqliteLab, tempFile } from './sqlite.test-kit.ts'
import { openSqliteIndex } from './sqlite.ts'

describeSessionIndex('SQLite session index', sqliteLab)

let place: ReturnType<typeof tempFile>
let index: SessionIndex

beforeEach(() => {
  place = tempFile()
  index = value(openSqliteIndex(place.file))
})

afterEach(async () => {
  await index.close()
  place.remove()
})

const write = async (...changes: Parameters<SessionIndex['write']>[0][]) =>
  value(await index.write(changes.flat()))

describe('session whose model has a new price', () => {
  it('is read again, but not when a price becomes known for the first time', async () => {
    const reply = (model: string) => message('x', { role: 'assistant', model })
    await write(
      sessionChanges(session('s1', { model: 'large' }), [reply('large')]),
      sessionChanges(session('s2', { model: 'small' }), [reply('small')]),
    )
    const price = async (marks: Readonly<Record<string, string>>) =>
      value(await index.repriced((model) => marks[model] ?? ''))
    expect(await price({ large: '1', small: '1' })).toBe(0)
    expect(await price({ large: '1', small: '1' })).toBe(0)
    expect(await price({ large: '2', small: '1' })).toBe(1)
    expect(value(await index.fingerprints('claude-code'))).toEqual(
      new Map([
        ['s1', ''],
        ['s2', 'f-s2'],
      ]),
    )
  })
})

describe('session index file', () => {
  it('is rebuilt when it has another version', async () => {
    await write(sessionChanges(session('s1'), [message('x')]))
    await index.close()
    const db = new DatabaseSync(place.file)
    db.exec('PRAGMA user_version = 99')
    db.close()
    index = value(openSqliteIndex(place.file))
    expect(value(await index.list({ limit: 10 }))).toEqual([])
  })

  it('is refused with advice when it is not a database', async () => {
    await index.close()
    writeFileSync(place.file, 'not a database at all, but long enough to be looked at as one'.repeat(20))
    const opened = openSqliteIndex(place.file)
    expect(opened).toMatchObject({ ok: false, code: 'corrupt' })
    place.remove()
    place = tempFile()
    index = value(openSqliteIndex(place.file))
  })

  it('contains no word of a forgotten session, including words removed earlier', async () => {
    await write(
      sessionChanges(session('s1'), [message('particular')]),
      sessionChanges(session('s2'), [message('common')]),
    )
    await write(sessionChanges(session('s1', { fingerprint: 'new' }), [message('other')]))
    await write([{ type: 'drop', source: 'claude-code', id: 's1' }])
    value(await index.forget([{ source: 'claude-code', id: 's1' }]))
    const db = new DatabaseSync(place.file)
    db.exec("CREATE VIRTUAL TABLE temp.terms USING fts5vocab('main', 'words_1', 'row')")
    expect(db.prepare('SELECT term FROM temp.terms').all()).toEqual([{ term: 'common' }])
    db.close()
  })

  it('contains words but not the text of messages', async () => {
    const secret = 'a very particular sentence that nobody else says'
    await write(sessionChanges(session('s1', { title: null }), [message(secret.repeat(50), { id: 'm1' })]))
    expect(statSync(place.file).size).toBeGreaterThan(0)
    const db = new DatabaseSync(place.file)
    expect(db.prepare('SELECT text FROM words_1').get()).toEqual({ text: null })
    db.close()
  })
})
