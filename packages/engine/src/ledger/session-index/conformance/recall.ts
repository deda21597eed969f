import { describe, expect, it } from 'vitest'
import type { IndexedMessage, RecallQuery } from '../port.ts'
import { type IndexLab, message, session, told, useIndex, value } from './lab.ts'

export function describeRecall(lab: IndexLab): void {
  const kept = useIndex(lab)

  const recall = async (text: string, more: Partial<RecallQuery> = {}) =>
    value(await kept.index.recall({ text, most: 10, until: performance.now() + 10_000, ...more }))
  const ids = async (text: string, more: Partial<RecallQuery> = {}) =>
    (await recall(text, more)).hits.map(({ id }) => id)

  const said = (id: string, text: string, more: Partial<IndexedMessage> = {}) =>
    message(text, { id, ...more })

  describe('messages that have to do with a text', () => {
    it('come by how many of its words they have, and how rare these are', async () => {
      await kept.write(session('a'), [
        said('rare', 'the zeppelin landed'),
        said('both', 'a zeppelin needs a mooring mast'),
        said('other', 'bread and butter'),
        ...Array.from({ length: 20 }, (_, n) => said(`common-${n}`, 'the mast of a ship')),
      ])
      expect((await ids('What do you know about the zeppelin and its mast?')).slice(0, 2)).toEqual([
        'both',
        'rare',
      ])
      expect(await ids('What about the butter?')).toEqual(['other'])
    })

    it('are not found by words that are in everything', async () => {
      await kept.write(session('a'), [said('1', 'what is this and how would you do it?')])
      expect(await recall('what is it and how would you do this')).toEqual({ hits: [], words: [] })
      expect(await ids('')).toEqual([])
      expect(await ids('"*" ( ) : - ^ NEAR')).toEqual([])
    })

    it('are found in writing without spaces, by one sign too, and without accents', async () => {
      await kept.write(session('a'), [
        said('zh', '我们昨天修复了数据库的迁移脚本'),
        said('ja', 'データベースの移行を直した'),
        said('ko', '데이터베이스 이전을 고쳤다'),
        said('fr', 'le café a été réparé'),
      ])
      expect(await ids('数据库迁移怎么样了')).toEqual(['zh'])
      expect(await ids('データベース')).toEqual(['ja'])
      expect(await ids('데이터베이스')).toEqual(['ko'])
      expect((await ids('移')).sort()).toEqual(['ja', 'zh'])
      expect(await ids('cafe repare')).toEqual(['fr'])
    })

    it('are what people and agents said, not what tools gave', async () => {
      await kept.write(session('a'), [
        said('tool', 'zeppelin', { role: 'tool' }),
        said('system', 'zeppelin', { role: 'system' }),
        said('agent', 'zeppelin', { role: 'assistant' }),
        said('person', 'zeppelin'),
      ])
      expect((await ids('zeppelin')).sort()).toEqual(['agent', 'person'])
    })

    it('leave out what is before everybody: a session from a time on, or all of it', async () => {
      await kept.write(session('here'), [
        said('old', 'zeppelin', { ts: 100 }),
        said('new', 'zeppelin', { ts: 200 }),
        said('undated', 'zeppelin', { ts: null }),
      ])
      await kept.write(session('there'), [said('else', 'zeppelin', { ts: 300 })])
      const except = { source: 'claude-code', session_id: 'here' }
      expect((await ids('zeppelin', { except: { ...except, since: 150 } })).sort()).toEqual(['else', 'old'])
      expect(await ids('zeppelin', { except: { ...except, since: null } })).toEqual(['else'])
      expect(await ids('zeppelin', { except: { ...except, source: 'hermes', since: null } })).toHaveLength(4)
    })

    it('are the same ones in the same order each time, and no more than are wanted', async () => {
      await kept.write(
        session('a'),
        Array.from({ length: 50 }, (_, n) => said(`m${n}`, `zeppelin ${n % 7} mast`)),
      )
      const first = await ids('zeppelin mast', { most: 12 })
      expect(first).toHaveLength(12)
      for (let n = 0; n < 3; n += 1) expect(await ids('zeppelin mast', { most: 12 })).toEqual(first)
    })

    it('are not those of a session that was only begun', async () => {
      const begun = { source: 'claude-code', id: 'half' }
      const messages = Array.from({ length: 200 }, (_, n) => said(`h${n}`, 'zeppelin'))
      value(
        await kept.index.write([
          { type: 'begin', ...begun, place: '/there' },
          { type: 'messages', ...begun, messages: messages.slice(0, 3) },
        ]),
      )
      expect(await ids('zeppelin')).toEqual([])
      value(await kept.index.write([{ type: 'messages', ...begun, messages }]))
      expect(await ids('zeppelin')).toEqual([])
      value(await kept.index.write([{ type: 'end', session: session('half') }]))
      expect(await ids('zeppelin')).toHaveLength(10)
    })

    it('are gone with their session', async () => {
      await kept.write(session('a'), [said('1', 'zeppelin')])
      await kept.index.forget([{ source: 'claude-code', id: 'a' }])
      expect(await ids('zeppelin')).toEqual([])
    })
  })

  it('takes a long text by its most telling words, whatever is in it', async () => {
    await kept.write(session('a'), [said('1', 'the zeppelin and its hangar')])
    const long = `${'lorem ipsum dolor '.repeat(2_000)} so where is the zeppelin, and where the hangar?`
    expect(await ids(long)).toEqual(['1'])
    expect((await recall('x'.repeat(100_000))).hits).toEqual([])
    const words = Array.from({ length: 5_000 }, (_, n) => `word${n}`).join(' ')
    expect((await recall(words)).words.length).toBeLessThanOrEqual(24)
  })

  it('takes a few milliseconds with a hundred thousand messages', async () => {
    const words = Array.from({ length: 5_000 }, (_, n) => `w${n.toString(36)}q`)
    const batch = kept.index.batch()
    for (let s = 0; s < 100; s += 1) {
      const messages = Array.from({ length: 1_000 }, (_, n) => {
        const at = s * 1_000 + n
        const some = [at % 7, at % 97, at % 1_009, at % 4_999].map((each) => words[each])
        return said(`m${at}`, `the common part of all of them, ${some.join(' ')}`)
      })
      value(await batch.add(told(session(`s${s}`), messages)))
    }
    value(await batch.end())
    const times: number[] = []
    for (let n = 0; n < 21; n += 1) {
      const began = performance.now()
      const text = `what was common to ${words[n]}, ${words[n * 31]} and ${words[4_990 - n]}?`
      expect((await recall(text, { most: 36 })).hits.length).toBeGreaterThan(0)
      times.push(performance.now() - began)
    }
    // Some milliseconds on a machine that has nothing else to do; to look at all of them would take a second.
    expect(times.sort((a, b) => a - b)[10]).toBeLessThan(250)
  })
}
