import type { ChatEvent } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import type { Act } from './battery-kit.ts'
import type { Scene } from './battery-scene.ts'

/** What a person has to allow. */
export function describeApprovals(scene: Scene): void {
  if (scene.lacks('approval')) return
  describe('asking a person', () => {
    const wants: Act = { say: 'Done.', unlessAllowed: 'Not done.' }
    const choosing = (choose: (choices: readonly string[]) => string | undefined) => (event: ChatEvent) => {
      if (event.event !== 'progress' || event.data.kind !== 'approval' || event.data.status !== 'started')
        return
      const choice = choose(event.data.choices ?? [])
      if (choice !== undefined) void scene.chat.answer(scene.id, event.data.request_id ?? '', choice)
    }

    it('does what was allowed', async () => {
      scene.played.play(wants)
      const { text, events } = await scene.ask(
        'Do it.',
        choosing(() => 'once'),
      )
      expect(text).toBe('Done.')
      expect(scene.played.done()).toBe(1)
      expect(approvalsIn(events)).toMatchObject([
        { status: 'started' },
        { status: 'completed', detail: { choice: 'once' } },
      ])
    })
    it('tells of a call before it asks for it, so that whoever looks sees that it waits', async () => {
      scene.played.play(wants)
      const { events } = await scene.ask(
        'Do it.',
        choosing(() => 'once'),
      )
      const told = events.flatMap((event) => (event.event === 'progress' ? [event.data] : []))
      const asked = told.findIndex(({ kind }) => kind === 'approval')
      const answered = told.findLastIndex(({ kind }) => kind === 'approval')
      expect(told.slice(asked, answered + 1).map(({ kind }) => kind)).toEqual(['approval', 'approval'])
      const { parent_id: call } = told[asked] ?? {}
      if (call !== undefined)
        expect(told.slice(0, asked)).toContainEqual(
          expect.objectContaining({
            node_id: call,
            kind: 'tool',
            status: expect.stringMatching(/started|running/),
          }),
        )
    })
    it('asks each time what was allowed once', async () => {
      scene.played.play(wants)
      await scene.ask(
        'Do it.',
        choosing(() => 'once'),
      )
      const { events } = await scene.ask(
        'Again.',
        choosing(() => 'once'),
      )
      expect(approvalsIn(events)).toHaveLength(2)
    })
    it('does not do what was denied, and says so', async () => {
      scene.played.play(wants)
      const { text } = await scene.ask(
        'Do it.',
        choosing(() => 'deny'),
      )
      expect(text).toBe('Not done.')
      expect(scene.played.done()).toBe(0)
      await scene.worksAgain()
    })
    it('takes nobody’s answer for a no', async () => {
      await scene.chat.close()
      await scene.begin({ approvalSeconds: 0.1 })
      scene.played.play(wants)
      const { text, events } = await scene.ask('Do it.')
      expect(text).toBe('Not done.')
      expect(scene.played.done()).toBe(0)
      expect(approvalsIn(events)).toMatchObject([
        { status: 'started' },
        { status: 'skipped', detail: { reason: 'timed_out' } },
      ])
    })
  })
}

const approvalsIn = (events: readonly ChatEvent[]) =>
  events.flatMap((event) =>
    event.event === 'progress' && event.data.kind === 'approval' ? [event.data] : [],
  )
