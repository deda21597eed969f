import { expect, it, vi } from 'vitest'
import { readAll, said, value } from './battery-room.ts'
import type { Scene } from './battery-scene.ts'

/** One conversation with more than one message, or runtime, at a time. */
export function describeTogether(scene: Scene): void {
  it('is ready', async () => {
    expect(await scene.played.adapter.health()).toMatchObject({ state: 'ready' })
  })

  it('refuses a second message while it answers the first', async () => {
    scene.played.play({ say: 'Yes', after: 'hangs' })
    const run = scene.ask('First.')
    await vi.waitFor(() => expect(scene.played.working()).toBe(1), 30_000)
    expect(await scene.chat.chat(scene.id, said('Second.'))).toMatchObject({ ok: false, code: 'busy' })
    value(await scene.chat.cancel(scene.id))
    await run
  })

  it('hands over to another runtime and is handed back to, and neither touches what the other goes on with', async () => {
    scene.played.play({ say: 'The word is heron.' }, { say: 'You then said otter.' })
    await scene.ask('Which word?')
    const own = (await scene.kept()).agent_state.runtimes[scene.played.adapter.id]
    const theirs = await readAll(
      value(await scene.chat.chat(scene.id, said('And another?', { runtime: 'acp:other' }))),
    )
    expect(theirs.check.problems).toEqual([])
    expect(theirs.text).toContain('The word is heron.')
    const between = (await scene.kept()).agent_state.runtimes
    expect(between[scene.played.adapter.id]).toEqual(own)
    expect(between['acp:other']).toMatchObject({ secret: 'of the other alone' })
    const { text, check } = await readAll(
      value(await scene.chat.chat(scene.id, said('Which were they?', { runtime: scene.played.adapter.id }))),
    )
    expect(check.problems).toEqual([])
    expect(text).toBe('You then said otter.')
    const sent = scene.played.asked().at(-1) ?? ''
    expect(sent).toContain('otter')
    expect(sent).toContain('And another?')
    expect(sent).not.toContain('of the other alone')
    expect((await scene.kept()).agent_state.runtimes['acp:other']).toEqual(between['acp:other'])
  })
}
