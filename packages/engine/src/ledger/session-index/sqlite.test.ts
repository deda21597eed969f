import { statSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { describeSessionIndex } from './conformance/index.ts'
import { message, session, told, value } from './conformance/lab.ts'
import type { SessionIndex } from './port.ts'
import { sqliteLab, tempFile } from './sqlite.test-kit.ts'
import { openSqliteIndex } from './sqlite.ts'

describeSessionIndex('the SQLite index of sessions', sqliteLab)

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

describe('a session whose model has another price now', () => {
  it('is read again, but not because a price is heard of for the first time', async () => {
    const reply = (model: string) => message('x', { role: 'assistant', model })
    await write(
      told(session('s1', { model: 'large' }), [reply('large')]),
      told(session('s2', { model: 'small' }), [reply('small')]),
    )
    const price = async (marks: Readonly<Record<string, string>>) =>
      value(await index.repriced((model) => marks[model] ?? ''))
    expect(await price({ large: '1', small: '1' })).toBe(0)
    expect(await price({ large: '1', small: '1' })).toBe(0)
    expect(await price({ large: '2', small: '1' })).toBe(1)
    expect(value(await index.known('claude-code'))).toEqual(
      new Map([
        ['s1', ''],
        ['s2', 'f-s2'],
      ]),
    )
  })
})

describe('the file of the index', () => {
  it('is made anew when it is of another version', async () => {
    await write(told(session('s1'), [message('x')]))
    await index.close()
    const db = new DatabaseSync(place.file)
    db.exec('PRAGMA user_version = 99')
    db.close()
    index = value(openSqliteIndex(place.file))
    expect(value(await index.list({ limit: 10 }))).toEqual([])
  })

  it('is refused with a way out when it is no database', async () => {
    await index.close()
    writeFileSync(place.file, 'not a database at all, but long enough to be looked at as one'.repeat(20))
    const opened = openSqliteIndex(place.file)
    expect(opened).toMatchObject({ ok: false, code: 'corrupt' })
    place.remove()
    place = tempFile()
    index = value(openSqliteIndex(place.file))
  })

  it('holds no word of what is forgotten, also of what was taken out before', async () => {
    await write(told(session('s1'), [message('particular')]), told(session('s2'), [message('common')]))
    await write(told(session('s1', { fingerprint: 'new' }), [message('other')]))
    await write([{ type: 'drop', source: 'claude-code', id: 's1' }])
    value(await index.forget([{ source: 'claude-code', id: 's1' }]))
    const db = new DatabaseSync(place.file)
    db.exec("CREATE VIRTUAL TABLE temp.terms USING fts5vocab('main', 'words_1', 'row')")
    expect(db.prepare('SELECT term FROM temp.terms').all()).toEqual([{ term: 'common' }])
    db.close()
  })

  it('holds no text', async () => {
    const secret = 'a very particular sentence that nobody else says'
    await write(told(session('s1', { title: null }), [message(secret.repeat(50), { id: 'm1' })]))
    expect(statSync(place.file).size).toBeGreaterThan(0)
    const db = new DatabaseSync(place.file)
    expect(db.prepare('SELECT text FROM words_1').get()).toEqual({ text: null })
    db.close()
  })
})
