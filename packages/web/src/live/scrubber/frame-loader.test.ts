import { describe, expect, it } from 'vitest'
import { createFrames } from './use-past.ts'

/** A source that responds only when the test tells it to. */
function slowly() {
  const asked: number[] = []
  const waiting: { answer: (at: number) => void; refuse: (error: Error) => void }[] = []
  const read = (at: number) =>
    new Promise<number>((answer, refuse) => {
      asked.push(at)
      waiting.push({ answer, refuse })
    })
  const next = async (refused = false) => {
    const one = waiting.shift()
    if (refused) one?.refuse(new Error('away'))
    else one?.answer(asked.at(-1) ?? 0)
    await Promise.resolve()
    await Promise.resolve()
    await Promise.resolve()
  }
  const shown: (number | string)[] = []
  const frames = createFrames(
    read,
    (frame) => shown.push(frame),
    () => shown.push('failed'),
  )
  return { asked, shown, next, frames }
}

describe('frames of the past', () => {
  it('are loaded one at a time and shown even if the clock has moved on', async () => {
    const { asked, shown, next, frames } = slowly()
    for (const at of [1, 2, 3, 4]) frames.want(at)
    expect({ asked, shown }).toEqual({ asked: [1], shown: [] })
    await next()
    expect({ asked, shown }).toEqual({ asked: [1, 4], shown: [1] })
    for (const at of [5, 6]) frames.want(at)
    await next()
    await next()
    expect({ asked, shown }).toEqual({ asked: [1, 4, 6], shown: [1, 4, 6] })
  })

  it('continue after a failed request', async () => {
    const { shown, next, frames } = slowly()
    frames.want(1)
    frames.want(2)
    await next(true)
    await next()
    expect(shown).toEqual(['failed', 2])
  })

  it('are not requested again for the same moment and not shown after a stop', async () => {
    const { asked, shown, next, frames } = slowly()
    frames.want(1)
    frames.want(2)
    frames.want(1)
    await next()
    expect({ asked, shown }).toEqual({ asked: [1], shown: [1] })
    frames.want(3)
    frames.stop()
    await next()
    expect({ asked, shown }).toEqual({ asked: [1, 3], shown: [1] })
  })
})
