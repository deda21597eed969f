import { describe, expect, it } from 'vitest'
import { type IndexLab, message, session, sessionChanges, useIndex, value } from './lab.ts'

export function describeSearching(lab: IndexLab): void {
  const bench = useIndex(lab)

  describe('session index search', () => {
    it('finds words, beginnings of words, phrases and the names of tools', async () => {
      await bench.change(
        sessionChanges(session('s1'), [
          message('The gateway times out'),
          message('out of time', { tools: ['WebFetch'] }),
        ]),
      )
      expect(await bench.found('gateway ')).toEqual(['s1 0'])
      expect(await bench.found('gate')).toEqual(['s1 0'])
      expect(await bench.found('gate ')).toEqual([])
      expect(await bench.found('"times out" ')).toEqual(['s1 0'])
      expect(await bench.found('webfetch ')).toEqual(['s1 1'])
    })

    it('returns each match once, however its pages are split', async () => {
      const messages = Array.from({ length: 1_200 }, (_, at) =>
        message(`common ${'word '.repeat(at % 7)}${at}`),
      )
      await bench.change(sessionChanges(session('s1'), messages))
      const seen: string[] = []
      for (let offset = 0; offset < 1_200; offset += 300) {
        const page = value(await bench.index.search({ text: 'common ', limit: 300, offset }))
        seen.push(...page.map(({ session_id, n }) => `${session_id} ${n}`))
      }
      expect(seen).toHaveLength(1_000)
      expect(new Set(seen).size).toBe(seen.length)
    })

    it('finds a part of a run of Chinese, Japanese or Korean', async () => {
      await bench.change(
        sessionChanges(session('s1'), [
          message('请修复数据库连接'),
          message('データベースを直す'),
          message('데이터베이스 수정'),
        ]),
      )
      expect(await bench.found('数据库 ')).toEqual(['s1 0'])
      expect(await bench.found('ベース ')).toEqual(['s1 1'])
      expect(await bench.found('데이터 ')).toEqual(['s1 2'])
      expect(await bench.found('库数 ')).toEqual([])
    })

    it('finds a word directly before or after an emoji, even one newer than its tables', async () => {
      const emoji = ['\u{1fae9}', '\u{1fafe}', '\u{1f44d}\u{1f3fd}']
      const texts = emoji.flatMap((one) => [`deploy${one}`, `${one}deploy`, `deploy${one}now`])
      await bench.change(
        sessionChanges(
          session('s1'),
          texts.map((text) => message(text)),
        ),
      )
      const all = texts.map((_text, at) => `s1 ${at}`)
      expect([...(await bench.found('deploy '))].sort()).toEqual(all.toSorted())
      expect([...(await bench.found('deploy\u{1fae9} '))].sort()).toEqual(all.toSorted())
    })

    it('ignores case, accents and its own query syntax', async () => {
      await bench.change(sessionChanges(session('s1'), [message('Réparer le Café AND NOT NEAR(x)')]))
      expect(await bench.found('cafe ')).toEqual(['s1 0'])
      for (const typed of ['AND', 'NOT ', '"', "');--", 'NEAR(', 'text:café ', '*', '^'])
        expect((await bench.index.search({ text: typed, limit: 5 })).ok).toBe(true)
    })

    it('finds letters with accents however they are composed', async () => {
      const words = ['réparer', 'データ', '데이터', 'x\u0301yz']
      const forms = ['NFC', 'NFD'] as const
      await bench.change(
        sessionChanges(
          session('s1'),
          forms.map((form) => message(words.join(' ').normalize(form))),
        ),
      )
      for (const form of forms)
        for (const word of words)
          expect((await bench.found(`${word.normalize(form)} `)).sort(), word).toEqual(['s1 0', 's1 1'])
      expect((await bench.found('reparer ')).length).toBe(2)
    })

    it('applies the filter', async () => {
      await bench.change(sessionChanges(session('s1', { project: 'a' }), [message('same words')]))
      await bench.change(sessionChanges(session('s2', { project: 'b' }), [message('same words')]))
      expect(await bench.found('same words ', { project: 'b' })).toEqual(['s2 0'])
    })
  })
}
