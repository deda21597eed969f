import { describe, expect, it } from 'vitest'
import { exchange, head, message, opener } from './conversing-kit.ts'
import { type StoreLab, useLab, value } from './lab.ts'

export function describeFindingConversations(lab: StoreLab): void {
  describe('conversation list', () => {
    const bench = useLab(lab)
    const open = opener(bench)

    it('sorts by last change and finds titles and words', async () => {
      const { conversations } = await open('one')
      value(await conversations.create(head('d', { title: 'Über Tee', updated_at: 5_000 })))
      const listed = async (query: object) => {
        const { total, rows } = value(await conversations.list({ limit: 10, ...query }))
        return { total, ids: rows.map(({ id }) => id), found: rows.map(({ found }) => found) }
      }
      expect(await listed({})).toEqual({ total: 2, ids: ['d', 'c'], found: [null, null] })
      expect(await listed({ limit: 1 })).toMatchObject({ total: 2, ids: ['d'] })
      expect(await listed({ before: 5_000 })).toMatchObject({ ids: ['c'] })
      expect(await listed({ text: 'über TEE' })).toEqual({ total: 1, ids: ['d'], found: [null] })
      expect(await listed({ text: 'ANSWER of' })).toMatchObject({
        ids: ['c'],
        found: [{ message_id: 'one-a', snippet: 'answer of one' }],
      })
      expect(await listed({ text: '100%_' })).toMatchObject({ total: 0 })
      expect(value(await conversations.change('d', { title: 'Coffee' }))).toMatchObject({
        title: 'Coffee',
        runtime: null,
      })
      expect(value(await conversations.change('d', { runtime: 'hermes', model: 'm' }))).toMatchObject({
        title: 'Coffee',
        model: 'm',
      })
      expect(await listed({ text: 'coffee' })).toMatchObject({ ids: ['d'] })
      expect(await conversations.change('e', { title: 'x' })).toMatchObject({ code: 'not_found' })
    })

    it('pages correctly through conversations that changed at the same moment', async () => {
      const { store } = await bench.open()
      const { conversations } = store
      const ids = Array.from({ length: 7 }, (_, n) => `t${n}`)
      for (const id of ids) value(await conversations.create(head(id, { updated_at: 5_000 })))
      value(await conversations.create(head('newer', { updated_at: 6_000 })))
      value(await conversations.create(head('older', { updated_at: 4_000 })))
      const seen: string[] = []
      for (let query: object = {}; ; ) {
        const { rows } = value(await conversations.list({ limit: 2, ...query }))
        seen.push(...rows.map(({ id }) => id))
        const last = rows.at(-1)
        if (last === undefined) break
        query = { before: last.updated_at, beforeId: last.id }
      }
      expect(seen).toEqual(['newer', ...ids, 'older'])
    })

    it('searches titles always, messages as time allows, and reports when time ran out', async () => {
      const { conversations } = await open('one')
      value(await conversations.create(head('d', { title: 'words of wisdom', updated_at: 5_000 })))
      const listed = (more: object) => conversations.list({ text: 'WORDS of', limit: 9, ...more })
      const whole = value(await listed({}))
      expect([whole.rows.map(({ id }) => id), whole.is_cut ?? false]).toEqual([['d', 'c'], false])
      const cut = value(await listed({ searchMs: 0 }))
      expect([cut.rows.map(({ id }) => id), cut.is_cut]).toEqual([['d'], true])
    })

    it('finds words with characters that are escaped in the file', async () => {
      const { conversations } = await open()
      const user = message('one-u', { content: 'He said "Ünd so"\nand left \\ there' })
      await exchange(conversations, 'c', 'one', { user })
      for (const text of ['"ünd SO"\nAND', 'left \\ there'])
        expect(value(await conversations.list({ text, limit: 9 })).rows).toHaveLength(1)
    })

    it('finds letters with another case or none, whatever their lower-case form is', async () => {
      const { conversations } = await open()
      const user = message('one-u', { content: 'In \u0130STANBUL 300 \u212aELVIN, GR\u00d6SSE 大小' })
      await exchange(conversations, 'c', 'one', { user })
      const found = async (text: string) => value(await conversations.list({ text, limit: 9 })).total
      for (const text of ['kelvin', '\u0130stanbul', 'größe', '大小', 'grösse 大'])
        expect([text, await found(text)]).toEqual([text, text === 'größe' ? 0 : 1])
    })

    it('finds an old message by words that occur in every message for another reason', async () => {
      const { conversations } = await open()
      await exchange(conversations, 'c', 'one', { user: message('one-u', { content: 'All COMPLETE' }) })
      for (let turn = 0; turn < 45; turn += 1) await exchange(conversations, 'c', `t${turn}`)
      expect(value(await conversations.list({ text: 'complete', limit: 9 })).rows[0]?.found).toEqual({
        message_id: 'one-u',
        snippet: 'All COMPLETE',
      })
    })
  })
}
