import { describe, expect, it } from 'vitest'
import type { IndexedMessage, RecallQuery } from '../port.ts'
import { type IndexLab, message, session, sessionChanges, useIndex, value } from './lab.ts'

export function describeRecall(lab: IndexLab): void {
  const bench = useIndex(lab)

  const recall = async (text: string, more: Partial<RecallQuery> = {}) =>
    value(await bench.index.recall({ text, most: 10, until: performance.now() + 10_000, ...more }))
  const ids = async (text: string, more: Partial<RecallQuery> = {}) =>
    (await recall(text, more)).hits.map(({ id }) => id)

  const messageWithId = (id: string, text: string, more: Partial<IndexedMessage> = {}) =>
    message(text, { id, ...more })

  describe('session index recall', () => {
    it('ranks messages by how many query words they contain and how rare these are', async () => {
      await bench.write(session('a'), [
        messageWithId('rare', 'the zeppelin landed'),
        messageWithId('both', 'a zeppelin needs a mooring mast'),
        messageWithId('other', 'bread and butter'),
        ...Array.from({ length: 20 }, (_, n) => messageWithId(`common-${n}`, 'the mast of a ship')),
      ])
      expect((await ids('What do you know about the zeppelin and its mast?')).slice(0, 2)).toEqual([
        'both',
        'rare',
      ])
      expect(await ids('What about the butter?')).toEqual(['other'])
    })

    it('ignores words that occur everywhere', async () => {
      await bench.write(session('a'), [messageWithId('1', 'what is this and how would you do it?')])
      expect(await recall('what is it and how would you do this')).toEqual({ hits: [], words: [] })
      expect(await ids('')).toEqual([])
      expect(await ids('"*" ( ) : - ^ NEAR')).toEqual([])
    })

    it('finds text without spaces, even a single character, and ignores accents', async () => {
      await bench.write(session('a'), [
        messageWithId('zh', '我们昨天修复了数据库的迁移脚本'),
        messageWithId('ja', 'データベースの移行を直した'),
        messageWithId('ko', '데이터베이스 이전을 고쳤다'),
        messageWithId('fr', 'le café a été réparé'),
      ])
      expect(await ids('数据库迁移怎么样了')).toEqual(['zh'])
      expect(await ids('データベース')).toEqual(['ja'])
      expect(await ids('데이터베이스')).toEqual(['ko'])
      expect((await ids('移')).sort()).toEqual(['ja', 'zh'])
      expect(await ids('cafe repare')).toEqual(['fr'])
    })

    it('finds what people and agents said, not the results of tools', async () => {
      await bench.write(session('a'), [
        messageWithId('tool', 'zeppelin', { role: 'tool' }),
        messageWithId('system', 'zeppelin', { role: 'system' }),
        messageWithId('agent', 'zeppelin', { role: 'assistant' }),
        messageWithId('person', 'zeppelin'),
      ])
      expect((await ids('zeppelin')).sort()).toEqual(['agent', 'person'])
    })

    it('leaves out what the person already sees: a session from a time on, or all of it', async () => {
      await bench.write(session('here'), [
        messageWithId('old', 'zeppelin', { ts: 100 }),
        messageWithId('new', 'zeppelin', { ts: 200 }),
        messageWithId('undated', 'zeppelin', { ts: null }),
      ])
      await bench.write(session('there'), [messageWithId('else', 'zeppelin', { ts: 300 })])
      const except = { source: 'claude-code', session_id: 'here' }
      expect((await ids('zeppelin', { except: { ...except, since: 150 } })).sort()).toEqual(['else', 'old'])
      expect(await ids('zeppelin', { except: { ...except, since: null } })).toEqual(['else'])
      expect(await ids('zeppelin', { except: { ...except, source: 'hermes', since: null } })).toHaveLength(4)
    })

    it('returns the same messages in the same order each time, within the limit', async () => {
      await bench.write(
        session('a'),
        Array.from({ length: 50 }, (_, n) => messageWithId(`m${n}`, `zeppelin ${n % 7} mast`)),
      )
      const first = await ids('zeppelin mast', { most: 12 })
      expect(first).toHaveLength(12)
      for (let n = 0; n < 3; n += 1) expect(await ids('zeppelin mast', { most: 12 })).toEqual(first)
    })

    it('leaves out sessions that were only begun', async () => {
      const begun = { source: 'claude-code', id: 'half' }
      const messages = Array.from({ length: 200 }, (_, n) => messageWithId(`h${n}`, 'zeppelin'))
      value(
        await bench.index.write([
          { type: 'begin', ...begun, place: '/there' },
          { type: 'messages', ...begun, messages: messages.slice(0, 3) },
        ]),
      )
      expect(await ids('zeppelin')).toEqual([])
      value(await bench.index.write([{ type: 'messages', ...begun, messages }]))
      expect(await ids('zeppelin')).toEqual([])
      value(await bench.index.write([{ type: 'end', session: session('half') }]))
      expect(await ids('zeppelin')).toHaveLength(10)
    })

    it('drops messages with their session', async () => {
      await bench.write(session('a'), [messageWithId('1', 'zeppelin')])
      await bench.index.forget([{ source: 'claude-code', id: 'a' }])
      expect(await ids('zeppelin')).toEqual([])
    })
  })

  it('searches a long text by its most significant words, whatever it contains', async () => {
    await bench.write(session('a'), [messageWithId('1', 'the zeppelin and its hangar')])
    const long = `${'lorem ipsum dolor '.repeat(2_000)} so where is the zeppelin, and where the hangar?`
    expect(await ids(long)).toEqual(['1'])
    expect((await recall('x'.repeat(100_000))).hits).toEqual([])
    const words = Array.from({ length: 5_000 }, (_, n) => `word${n}`).join(' ')
    expect((await recall(words)).words.length).toBeLessThanOrEqual(24)
  })

  it('takes a few milliseconds with a hundred thousand messages', async () => {
    const words = Array.from({ length: 5_000 }, (_, n) => `w${n.toString(36)}q`)
    const batch = bench.index.batch()
    for (let s = 0; s < 100; s += 1) {
      const messages = Array.from({ length: 1_000 }, (_, n) => {
        const at = s * 1_000 + n
        const some = [at % 7, at % 97, at % 1_009, at % 4_999].map((each) => words[each])
        return messageWithId(`m${at}`, `the common part of all of them, ${some.join(' ')}`)
      })
      value(await batch.add(sessionChanges(session(`s${s}`), messages)))
    }
    value(await batch.end())
    const times: number[] = []
    for (let n = 0; n < 21; n += 1) {
      const began = performance.now()
      const text = `what was common to ${words[n]}, ${words[n * 31]} and ${words[4_990 - n]}?`
      expect((await recall(text, { most: 36 })).hits.length).toBeGreaterThan(0)
      times.push(performance.now() - began)
    }
    // It takes a few milliseconds on an idle machine; reading every message would take a second.
    expect(times.sort((a, b) => a - b)[10]).toBeLessThan(250)
  })
}
