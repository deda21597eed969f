import { describe, expect, it } from 'vitest'
import { type IndexLab, message, session, told, useIndex, value } from './lab.ts'

export function describeSearching(lab: IndexLab): void {
  const kept = useIndex(lab)

  describe('a search', () => {
    it('finds words, beginnings of words, phrases and the names of tools', async () => {
      await kept.change(
        told(session('s1'), [
          message('The gateway times out'),
          message('out of time', { tools: ['WebFetch'] }),
        ]),
      )
      expect(await kept.found('gateway ')).toEqual(['s1 0'])
      expect(await kept.found('gate')).toEqual(['s1 0'])
      expect(await kept.found('gate ')).toEqual([])
      expect(await kept.found('"times out" ')).toEqual(['s1 0'])
      expect(await kept.found('webfetch ')).toEqual(['s1 1'])
    })

    it('tells each match once, however its pages are cut', async () => {
      const messages = Array.from({ length: 1_200 }, (_, at) =>
        message(`common ${'word '.repeat(at % 7)}${at}`),
      )
      await kept.change(told(session('s1'), messages))
      const seen: string[] = []
      for (let offset = 0; offset < 1_200; offset += 300) {
        const page = value(await kept.index.search({ text: 'common ', limit: 300, offset }))
        seen.push(...page.map(({ session_id, n }) => `${session_id} ${n}`))
      }
      expect(seen).toHaveLength(1_000)
      expect(new Set(seen).size).toBe(seen.length)
    })

    it('finds a part of a run of Chinese, Japanese or Korean', async () => {
      await kept.change(
        told(session('s1'), [
          message('请修复数据库连接'),
          message('データベースを直す'),
          message('데이터베이스 수정'),
        ]),
      )
      expect(await kept.found('数据库 ')).toEqual(['s1 0'])
      expect(await kept.found('ベース ')).toEqual(['s1 1'])
      expect(await kept.found('데이터 ')).toEqual(['s1 2'])
      expect(await kept.found('库数 ')).toEqual([])
    })

    it('does not care for case or accents, nor for what looks like its own language', async () => {
      await kept.change(told(session('s1'), [message('Réparer le Café AND NOT NEAR(x)')]))
      expect(await kept.found('cafe ')).toEqual(['s1 0'])
      for (const typed of ['AND', 'NOT ', '"', "');--", 'NEAR(', 'text:café ', '*', '^'])
        expect((await kept.index.search({ text: typed, limit: 5 })).ok).toBe(true)
    })

    it('finds letters with accents however they are put together', async () => {
      const words = ['réparer', 'データ', '데이터', 'x\u0301yz']
      const forms = ['NFC', 'NFD'] as const
      await kept.change(
        told(
          session('s1'),
          forms.map((form) => message(words.join(' ').normalize(form))),
        ),
      )
      for (const form of forms)
        for (const word of words)
          expect((await kept.found(`${word.normalize(form)} `)).sort(), word).toEqual(['s1 0', 's1 1'])
      expect((await kept.found('reparer ')).length).toBe(2)
    })

    it('keeps to the filter', async () => {
      await kept.change(told(session('s1', { project: 'a' }), [message('same words')]))
      await kept.change(told(session('s2', { project: 'b' }), [message('same words')]))
      expect(await kept.found('same words ', { project: 'b' })).toEqual(['s2 0'])
    })
  })
}
