import { expect, it } from 'vitest'
import { readAll, value } from './battery-room.ts'
import type { Scene } from './battery-scene.ts'

const LONG = 200_000

/** Answers that come to their end. */
export function describeAnswers(scene: Scene): void {
  it('answers, and what it said is stored as it was shown', async () => {
    scene.played.play({ say: 'It is so, because it was so.' })
    const { events, text } = await scene.ask('Is it so?')
    expect(text).toBe('It is so, because it was so.')
    expect(events[0]?.event).toBe('metadata')
    expect(events.at(-1)).toMatchObject({ event: 'done', data: { outcome: 'completed' } })
    expect(scene.played.asked().at(-1)).toContain('Is it so?')
    expect(await scene.answer()).toMatchObject({
      status: 'complete',
      content: text,
      runtime: scene.played.adapter.id,
      error: null,
    })
  })

  it('goes on in the same conversation', async () => {
    scene.played.play({ say: 'One.' }, { say: 'Two.' })
    await scene.ask('First?')
    const first = (await scene.kept()).agent_state.runtimes[scene.played.adapter.id]?.rev ?? 0
    expect((await scene.ask('Second?')).text).toBe('Two.')
    expect((await scene.kept()).agent_state.runtimes[scene.played.adapter.id]?.rev).toBeGreaterThan(first)
  })

  it('is read again from any place, by anybody, without a gap', async () => {
    scene.played.play({ say: 'a b c d e f', pieces: 6 })
    const { events } = await scene.ask('Letters?')
    for (const { data } of events) {
      const last = `${data.run_id}:${data.seq}`
      const rest = await readAll(value(await scene.chat.stream(scene.id, last)), undefined, last)
      expect(rest.check.problems).toEqual([])
      expect(rest.events).toEqual(events.slice(data.seq))
    }
  })

  scene.can('empty')('may say nothing at all', async () => {
    scene.played.play({ say: '' })
    const { events, text } = await scene.ask('Anything?')
    expect(text).toBe('')
    expect(events.at(-1)).toMatchObject({ event: 'done', data: { outcome: 'completed' } })
    expect(await scene.answer()).toMatchObject({ status: 'complete', content: '' })
    await scene.worksAgain()
  })

  it('answers at length', async () => {
    const say = Array.from({ length: LONG / 10 }, (_, at) => `${at}`.padStart(9, '.')).join('\n')
    scene.played.play({ say, pieces: 500 })
    expect((await scene.ask('All of it?')).text).toBe(say)
    expect((await scene.answer())?.content).toBe(say)
  })

  it('gives letters of any script as they are, and nothing that only a terminal understands', async () => {
    const plain = 'Grüße 👩‍👩‍👧 日本語 ‏עברית‏ e\u0301 \u{1F3F4}\u{E0067}\u{E007F} 𝔘\tok\nnew line'
    scene.played.play({ say: `${plain}\u001b[31mred\u001b[0m \u009b1mbold\u0007\b.\u0000`, pieces: 40 })
    expect((await scene.ask('Letters?')).text).toBe(`${plain}red bold.`)
  })

  scene.can('think')('keeps what it thinks out of what it says', async () => {
    scene.played.play({ think: 'The person means the sea.', say: 'Blue.' })
    const { events, text } = await scene.ask('Which colour?')
    expect(text).toBe('Blue.')
    const thought = events.map((event) =>
      event.event === 'progress' && event.data.kind === 'reasoning' ? deltaIn(event.data.detail) : '',
    )
    expect(thought.join('')).toContain('means the sea')
  })
}

const deltaIn = (detail: unknown): string =>
  typeof detail === 'object' && detail !== null && 'delta' in detail ? String(detail.delta) : ''
