import { statSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { agent, message, session, tempFile, told, value } from './index.test-kit.ts'
import type { SearchQuery, SessionIndex } from './port.ts'
import { openSqliteIndex } from './sqlite.ts'

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
const found = async (text: string, more: Partial<SearchQuery> = {}) =>
  value(await index.search({ text, limit: 10, ...more })).map((hit) => `${hit.session_id} ${hit.n}`)
const listed = async (more = {}) => value(await index.list({ limit: 10, ...more })).map(({ id }) => id)

describe('the index of sessions', () => {
  it('knows the fingerprint of each session that was told to its end', async () => {
    await write(told(session('s1'), [message('one')]))
    await write([{ type: 'begin', source: 'claude-code', id: 's2', place: '/there/s2' }])
    expect([...value(await index.known('claude-code'))]).toEqual([['s1', 'f-s1']])
    expect([...value(await index.known('hermes'))]).toEqual([])
    expect(await listed()).toEqual(['s1'])
  })

  it('adds up what a session was, and says of how much it does not know the cost', async () => {
    const usage = {
      input: 10,
      output: 5,
      cache_read: 2,
      cache_write: 1,
      cache_write_1h: null,
      reasoning: null,
    }
    const reply = { role: 'assistant', model: 'm' } as const
    await write(
      told(session('s1'), [
        message('ask'),
        message('a', { ...reply, usage, cost_micro_usd: 7, tools: ['Bash', 'Read'] }),
        message('b', { role: 'tool', errors: 1 }),
        message('c', { ...reply, usage, cost_micro_usd: null, tools: ['Bash'] }),
        message('d', reply),
      ]),
    )
    const one = value(await index.get('claude-code', 's1'))
    expect(one).toMatchObject({ messages: 5, tool_calls: 3, errors: 1, place: '/there/s1' })
    expect(one?.spent).toEqual({
      input: 20,
      output: 10,
      cache_read: 4,
      cache_write: 2,
      reasoning: 0,
      cost_micro_usd: 7,
      usage_unknown: 1,
      cost_unknown: 1,
    })
  })

  it('counts by tool the sessions that used it, and its own calls', async () => {
    await write(told(session('s1'), [message('a', { tools: ['Bash', 'Bash', 'Read'] })]))
    await write(told(session('s2'), [message('b', { tools: ['Bash'] })]))
    const rows = value(await index.stats({}, 'tool'))
    expect(rows.map(({ name, sessions, tool_calls }) => [name, sessions, tool_calls])).toEqual([
      ['Bash', 2, 3],
      ['Read', 1, 1],
    ])
    expect(value(await index.stats({ tool: 'Read' }, 'tool')).map(({ name }) => name)).toEqual([
      'Bash',
      'Read',
    ])
  })

  it('replaces a session that is told again, and forgets one that is dropped', async () => {
    await write(told(session('s1'), [message('first words'), message('second words')]))
    await write(told(session('s1', { fingerprint: 'new' }), [message('other words')]))
    expect(await found('first ')).toEqual([])
    expect(await found('words ')).toEqual(['s1 0'])
    await write([{ type: 'drop', source: 'claude-code', id: 's1' }])
    expect(await found('words ')).toEqual([])
    expect(await listed()).toEqual([])
  })

  it('writes all of a list of changes or none', async () => {
    const bad = [
      ...told(session('s1'), [message('x')]),
      { type: 'end', session: session('never begun') } as const,
    ]
    expect((await index.write(bad)).ok).toBe(false)
    expect(await listed()).toEqual([])
    await write(told(session('s1'), [message('x')]))
    expect(await listed()).toEqual(['s1'])
  })

  it('lists the newest first, and by what they have in common', async () => {
    await write(told(session('old', { last_at: 1, project: 'a' }), [message('x', { tools: ['Bash'] })]))
    await write(
      told(session('new', { last_at: 9, source: 'hermes', model: 'other' }), [message('x', { errors: 2 })]),
    )
    expect(await listed()).toEqual(['new', 'old'])
    expect(await listed({ source: 'hermes' })).toEqual(['new'])
    expect(await listed({ project: 'a' })).toEqual(['old'])
    expect(await listed({ model: 'other' })).toEqual(['new'])
    expect(await listed({ tool: 'Bash' })).toEqual(['old'])
    expect(await listed({ since: 2 })).toEqual(['new'])
    expect(await listed({ until: 2 })).toEqual(['old'])
    expect(await listed({ errors: true })).toEqual(['new'])
    expect(await listed({ id: 'o' })).toEqual(['old'])
    expect(await listed({ limit: 1, offset: 1 })).toEqual(['old'])
  })
})

describe('sessions that are too old', () => {
  const known = async () => [...value(await index.known('claude-code')).keys()].sort()
  const begin = (id: string) => ({ type: 'begin', source: 'claude-code', id, place: '/there' }) as const

  it('are known and not listed, and are to be read again under a limit that lets them be', async () => {
    for (const at of [1, 5, 9]) await write(told(session(`s${at}`, { last_at: at }), [message(`words${at}`)]))
    expect(value(await index.retain(6))).toBe(2)
    expect([await listed(), await known(), await found('words')]).toEqual([
      ['s9'],
      ['s1', 's5', 's9'],
      ['s9 0'],
    ])
    expect(value(await index.retain(4))).toBe(0)
    expect([await listed(), await known()]).toEqual([['s9'], ['s1', 's9']])
    value(await index.retain(null))
    expect(await known()).toEqual(['s9'])
  })

  it('are among those of whom something is kept that is not listed, as are those that were only begun', async () => {
    await write(
      told(session('old'), [message('x')]),
      told(session('new', { last_at: 3_000 }), [message('x')]),
    )
    await write([begin('half'), begin('new')])
    value(await index.retain(2_500))
    const hidden = value(await index.hidden()).map(({ id, why }) => `${id} ${why}`)
    expect(hidden.sort()).toEqual(['half begun', 'new begun', 'old aged'])
    const all = ['half', 'new', 'old'].map((id) => ({ source: 'claude-code', id }))
    expect(value(await index.forget(all))).toEqual({ sessions: 2, messages: 1 })
    expect([value(await index.hidden()), await known()]).toEqual([[], []])
  })
})

describe('a search', () => {
  it('finds words, beginnings of words, phrases and the names of tools', async () => {
    await write(
      told(session('s1'), [
        message('The gateway times out'),
        message('out of time', { tools: ['WebFetch'] }),
      ]),
    )
    expect(await found('gateway ')).toEqual(['s1 0'])
    expect(await found('gate')).toEqual(['s1 0'])
    expect(await found('gate ')).toEqual([])
    expect(await found('"times out" ')).toEqual(['s1 0'])
    expect(await found('webfetch ')).toEqual(['s1 1'])
  })

  it('tells each match once, however its pages are cut', async () => {
    const messages = Array.from({ length: 1_200 }, (_, at) =>
      message(`common ${'word '.repeat(at % 7)}${at}`),
    )
    await write(told(session('s1'), messages))
    const seen: string[] = []
    for (let offset = 0; offset < 1_200; offset += 300) {
      const page = value(await index.search({ text: 'common ', limit: 300, offset }))
      seen.push(...page.map(({ session_id, n }) => `${session_id} ${n}`))
    }
    expect(seen).toHaveLength(1_000)
    expect(new Set(seen).size).toBe(seen.length)
  })

  it('finds a part of a run of Chinese, Japanese or Korean', async () => {
    await write(
      told(session('s1'), [
        message('请修复数据库连接'),
        message('データベースを直す'),
        message('데이터베이스 수정'),
      ]),
    )
    expect(await found('数据库 ')).toEqual(['s1 0'])
    expect(await found('ベース ')).toEqual(['s1 1'])
    expect(await found('데이터 ')).toEqual(['s1 2'])
    expect(await found('库数 ')).toEqual([])
  })

  it('does not care for case or accents, nor for what looks like its own language', async () => {
    await write(told(session('s1'), [message('Réparer le Café AND NOT NEAR(x)')]))
    expect(await found('cafe ')).toEqual(['s1 0'])
    for (const typed of ['AND', 'NOT ', '"', "');--", 'NEAR(', 'text:café ', '*', '^'])
      expect((await index.search({ text: typed, limit: 5 })).ok).toBe(true)
  })

  it('finds letters with accents however they are put together', async () => {
    const words = ['réparer', 'データ', '데이터', 'x\u0301yz']
    const forms = ['NFC', 'NFD'] as const
    await write(
      told(
        session('s1'),
        forms.map((form) => message(words.join(' ').normalize(form))),
      ),
    )
    for (const form of forms)
      for (const word of words)
        expect((await found(`${word.normalize(form)} `)).sort(), word).toEqual(['s1 0', 's1 1'])
    expect((await found('reparer ')).length).toBe(2)
  })

  it('keeps to the filter', async () => {
    await write(told(session('s1', { project: 'a' }), [message('same words')]))
    await write(told(session('s2', { project: 'b' }), [message('same words')]))
    expect(await found('same words ', { project: 'b' })).toEqual(['s2 0'])
  })
})

describe('a session that is told again', () => {
  const begun = [
    { type: 'begin', source: 'claude-code', id: 's1', place: '/there/s1' },
    { type: 'agent', source: 'claude-code', id: 's1', agent: agent('another') },
    { type: 'messages', source: 'claude-code', id: 's1', messages: [message('new words')] },
  ] as const
  const agents = async () => value(await index.agents('claude-code', 's1')).map(({ id }) => id)
  const now = async () => [await listed(), await found('new '), await found('old '), await agents()]

  it('is what it was until it ends, and then what it is told to be', async () => {
    await write(told(session('s1'), [message('old words')]))
    await write(begun)
    expect(await now()).toEqual([['s1'], [], ['s1 0'], []])
    await write([{ type: 'end', session: session('s1', { fingerprint: 'new' }) }])
    expect(await now()).toEqual([['s1'], ['s1 0'], [], ['another']])
  })

  it('stays what it was when it is left', async () => {
    await write(told(session('s1'), [message('old words')]))
    await write(begun)
    await write([{ type: 'leave', source: 'claude-code', id: 's1' }])
    expect(await now()).toEqual([['s1'], [], ['s1 0'], []])
    expect(value(await index.hidden())).toEqual([])
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
    expect(await listed()).toEqual([])
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
