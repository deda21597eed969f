import { describe, expect, it } from 'vitest'
import { ALL, CONTEXT, epoch, exchange, head, opener } from './conversing-kit.ts'
import { type StoreLab, useLab, value } from './lab.ts'

export function describeOwningConversations(lab: StoreLab): void {
  describe('conversation ownership', () => {
    const open = opener(useLab(lab))

    it('keeps facts until they are forgotten, and then stops sending them', async () => {
      const { conversations } = await open('one')
      const facts = [
        { id: 'f1', ts: 1, text: 'Likes "tea"' },
        { id: 'f2', ts: 2, text: 'Lives in Bern' },
      ]
      for (const fact of facts) value(await conversations.remember(fact))
      expect(value(await conversations.facts())).toEqual(facts)
      const context = 'known:\n- Likes "tea"\n- Lives in Bern\nend'
      value(await conversations.setEpoch('c', epoch({ baseline: context })))
      const section = {
        key: 'user',
        title: 'You',
        status: 'ok' as const,
        chars: 1,
        tokens: 1,
        items: 2,
        left_out: 0,
        truncated: false,
        text: context,
      }
      value(
        await conversations.setSent('one-u', { context: { ...CONTEXT, sections: [section] }, text: context }),
      )
      expect(value(await conversations.forgetFact('f1', '- Likes "tea"'))).toBe(true)
      expect(value(await conversations.forgetFact('f1', '- Likes "tea"'))).toBe(false)
      expect(value(await conversations.facts())).toEqual(facts.slice(1))
      const window = value(await conversations.window('c', ALL))
      const after = 'known:\n- (forgotten)\n- Lives in Bern\nend'
      expect(window?.epoch?.baseline).toBe(after)
      expect(window?.preambles.get('one-u')).toBe(after)
      expect(value(await conversations.sent('c', 'one-u'))?.context.sections[0]?.text).toBe(after)
    })

    it('lists conversations for their owner, and those without an owner for everybody', async () => {
      const { conversations } = await open()
      value(await conversations.create(head('mine', { owner: 'ada', title: 'tea' })))
      value(await conversations.create(head('theirs', { owner: 'bob', title: 'tea' })))
      value(await conversations.create(head('open', { owner: 'bob', shared: true, title: 'tea' })))
      const seen = async (visibleTo?: string | null, more: object = {}) =>
        value(await conversations.list({ limit: 9, visibleTo, ...more }))
          .rows.map(({ id }) => id)
          .sort()
      for (const more of [{}, { text: 'tea' }, { before: 1_001 }, { before: 1_000, beforeId: '' }]) {
        const all = 'text' in more ? [] : ['c']
        expect(await seen(undefined, more)).toEqual([...all, 'mine', 'open', 'theirs'])
        expect(await seen('ada', more)).toEqual([...all, 'mine', 'open'])
        expect(await seen("ada' OR true --", more)).toEqual([...all, 'open'])
        expect(await seen(null, more)).toEqual([...all, 'open'])
      }
      expect(value(await conversations.list({ limit: 1, visibleTo: 'ada' })).total).toBe(3)
      await exchange(conversations, 'theirs', 'one')
      expect(value(await conversations.change('theirs', { shared: true }))).toMatchObject({
        owner: 'bob',
        shared: true,
      })
      expect(await seen('ada')).toEqual(['c', 'mine', 'open', 'theirs'])
      await exchange(conversations, 'theirs', 'two')
      expect(value(await conversations.head('theirs'))).toMatchObject({ shared: true, title: 'tea' })
      value(await conversations.change('theirs', { shared: false }))
      expect(await seen('ada')).toEqual(['c', 'mine', 'open'])
      expect(value(await conversations.head('nobody'))).toBeNull()
    })

    it('keeps the facts of each owner apart', async () => {
      const { conversations } = await open()
      const [one, two, three] = ['f1', 'f2', 'f3'].map((id) => ({ id, ts: 1, text: 'Likes tea' }))
      if (!one || !two || !three) throw new Error()
      value(await conversations.remember(one, 'ada'))
      value(await conversations.remember(two, 'bob'))
      value(await conversations.remember(three))
      expect(value(await conversations.facts('ada'))).toEqual([one])
      expect(value(await conversations.facts('bob'))).toEqual([two])
      expect(value(await conversations.facts())).toEqual([three])
      expect(value(await conversations.facts('eve'))).toEqual([])
    })
  })
}
