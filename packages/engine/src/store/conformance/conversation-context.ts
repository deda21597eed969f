import { describe, expect, it } from 'vitest'
import { ALL, beginning, CONTEXT, ending, epoch, exchange, head, message, opener } from './conversing-kit.ts'
import { type StoreLab, useLab, value } from './lab.ts'

export function describeGoingOn(lab: StoreLab): void {
  describe('conversation context', () => {
    const bench = useLab(lab)
    const open = opener(bench)

    it('returns the end of a conversation with the context of each message, however long it is', async () => {
      const { conversations } = await open('one', 'two', 'three')
      const ids = (window: { readonly messages: readonly { readonly id: string }[] } | null) =>
        window?.messages.map(({ id }) => id)
      const whole = value(await conversations.window('c', ALL))
      expect(ids(whole)).toEqual(['one-u', 'one-a', 'two-u', 'two-a', 'three-u', 'three-a'])
      expect(whole).toMatchObject({ earlier: 0, skipped: 0, preceding: null, messages_count: 6 })
      expect(whole?.preambles).toEqual(
        new Map([
          ['one-u', 'before one'],
          ['two-u', 'before two'],
          ['three-u', 'before three'],
        ]),
      )
      const last = value(await conversations.window('c', { chars: 45 }))
      expect(ids(last)).toEqual(['three-u', 'three-a'])
      expect(last).toMatchObject({ earlier: 4, skipped: 4, preceding: 'two-a', messages_count: 6 })
      expect(ids(value(await conversations.window('c', { chars: 0 })))).toEqual(['three-a'])
      const before = value(await conversations.window('c', { ...ALL, before: 'two-u' }))
      expect(ids(before)).toEqual(['one-u', 'one-a'])
      expect(before?.messages_count).toBe(2)
      expect(value(await conversations.window('other', ALL))).toBeNull()
    })

    it("sends messages from the epoch's start on, and returns the epoch as stored", async () => {
      const { conversations } = await open('one', 'two', 'three')
      const first = epoch({ summarised_to: 'one-a', summary: 'of one', unread: 2, untold: ['x'] })
      value(await conversations.setEpoch('c', first))
      const window = value(await conversations.window('c', ALL))
      expect(window).toMatchObject({ earlier: 2, skipped: 0, preceding: 'one-a', epoch: first })
      expect(window?.messages[0]?.id).toBe('two-u')
      expect(value(await conversations.window('c', { chars: 0 }))).toMatchObject({ earlier: 5, skipped: 3 })
      expect(value(await conversations.get('c'))?.epoch).toEqual(first)
      value(await conversations.setEpoch('c', null))
      expect(value(await conversations.window('c', ALL))).toMatchObject({ epoch: null, earlier: 0 })
    })

    it('keeps the next summary only if it covers more than the present one and its messages exist', async () => {
      const { conversations } = await open('one', 'two', 'three')
      const next = async () => value(await conversations.window('c', ALL))?.epoch?.next
      value(await conversations.setNextSummary('c', { summary: 'none', to: 'one-a' }))
      expect(await next()).toBeUndefined()
      value(await conversations.setEpoch('c', epoch({ summarised_to: 'two-a', summary: 'of two' })))
      value(await conversations.setNextSummary('c', { summary: 'older', to: 'one-a' }))
      value(await conversations.setNextSummary('c', { summary: 'gone', to: 'nowhere' }))
      expect(await next()).toBeUndefined()
      value(await conversations.setNextSummary('c', { summary: 'better', to: 'two-a' }))
      value(await conversations.setNextSummary('c', { summary: 'newer', to: 'three-u' }))
      expect(await next()).toEqual({ summary: 'newer', to: 'three-u' })
    })

    it('returns the messages of a part of a conversation', async () => {
      const { conversations } = await open('one', 'two', 'three')
      const messageIds = async (query: {
        readonly after: string | null
        readonly to: string
        readonly chars?: number
      }) => value(await conversations.said('c', { chars: 1_000, ...query })).map(({ id }) => id)
      expect(await messageIds({ after: null, to: 'two-u' })).toEqual(['one-u', 'one-a', 'two-u'])
      expect(await messageIds({ after: 'one-a', to: 'three-a' })).toEqual([
        'two-u',
        'two-a',
        'three-u',
        'three-a',
      ])
      expect(await messageIds({ after: 'one-a', to: 'three-a', chars: 0 })).toEqual(['two-u'])
      expect(await messageIds({ after: 'two-a', to: 'two-a' })).toEqual([])
      expect(await messageIds({ after: null, to: 'nowhere' })).toEqual([])
      expect(value(await conversations.said('c', { after: null, to: 'one-u', chars: 9 }))).toEqual([
        { id: 'one-u', role: 'user', content: 'words of one-u', ts: 2_000 },
      ])
    })

    it('returns what was sent with a message, including its files', async () => {
      const { conversations } = await open('one')
      const files = [{ name: 'a.md', media_type: 'text/plain', text: 'words' }]
      await exchange(conversations, 'c', 'two', { files })
      expect(value(await conversations.sent('c', 'one-u'))).toEqual({ context: CONTEXT, text: 'before one' })
      expect(value(await conversations.sent('other', 'one-u'))).toBeNull()
      expect(value(await conversations.sent('c', 'one-a'))).toBeNull()
      expect(value(await conversations.files('two-u'))).toEqual(files)
      expect(value(await conversations.files('one-u'))).toEqual([])
    })

    it('accepts commands for a run only while another process executes it', async () => {
      const { store } = await bench.open()
      const { conversations } = store
      value(await conversations.create(head('own')))
      value(await conversations.begin(beginning('own', 'one')))
      for (const [id, run] of [
        ['own', 'one-run'],
        ['own', 'two-run'],
        ['other', 'one-run'],
      ] as const)
        expect(await conversations.sendRemoteCommand(id, run, { wants: 'stop' })).toMatchObject({
          ok: false,
          code: 'not_found',
        })
      expect(value(await conversations.takeRemoteCommands('one-run'))).toEqual([])
    })

    it('reads the end of a long conversation without reading the rest', async () => {
      const { conversations } = await open()
      const long = 'What was said in this message, at some length. '.repeat(12)
      for (let turn = 0; turn < 400; turn += 1) {
        value(
          await conversations.begin(
            beginning('c', `t${turn}`, { user: message(`t${turn}-u`, { content: long }) }),
          ),
        )
        value(await conversations.end(ending('c', `t${turn}`, { content: long })))
      }
      const took = async (chars: number) => {
        const began = performance.now()
        value(await conversations.window('c', { chars }))
        return performance.now() - began
      }
      expect(value(await conversations.window('c', { chars: 6_000 }))).toMatchObject({
        skipped: 790,
        messages_count: 800,
      })
      const times: { readonly end: number; readonly all: number }[] = []
      // The two are measured in turns, so that other load on the machine slows both.
      for (let tries = 0; tries < 9; tries += 1)
        times.push({ end: await took(6_000), all: await took(10_000_000) })
      const end = Math.min(...times.map((each) => each.end))
      expect(end).toBeLessThan(Math.min(...times.map((each) => each.all)) + 2)
      expect(end).toBeLessThan(250)
    })
  })
}
