import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { analyse } from './analyse.ts'

describe('similarity of the texts of a turn', () => {
  const a = 'No. A rolling deploy leaves old processes writing for minutes. Keep a dump of the table.'
  const b = 'Not in one step. Rename the table first, then drop it in the next release.'
  const c = 'A rolling deploy does not leave old processes writing for minutes.'

  it('finds phrases of four or more words and the share of the answer they make up', async () => {
    const answer =
      'Take two releases: a rolling deploy leaves old processes writing, so rename the table first.'
    const { phrases, drew_on } = await analyse(answer, [a, b, null])
    expect(phrases.map(({ reference, text }) => [reference, text])).toEqual([
      [0, 'a rolling deploy leaves old processes writing'],
      [1, 'rename the table first'],
    ])
    for (const one of phrases) {
      expect(answer.slice(one.answer_from, one.answer_to)).toBe(one.text)
      const from = [a, b][one.reference] ?? ''
      expect(from.slice(one.reference_from, one.reference_to).toLowerCase()).toBe(one.text.toLowerCase())
    }
    expect(drew_on.map((share) => Math.round(share * 100))).toEqual([47, 27, 0])
  })

  it('finds references that contradict each other', async () => {
    const { points, says } = await analyse('x', [a, b, c])
    expect(points[0]).toMatchObject({
      text: 'A rolling deploy leaves old processes writing for minutes.',
      stances: ['says', 'silent', 'opposes'],
    })
    expect(says).toBe('No two references agree')
    expect((await analyse('x', [a, a])).says).toBe('2 of 2 agree')
    expect((await analyse('x', [a])).says).toBe('Nothing to compare')
  })

  it('stays fast on long, repetitive texts', async () => {
    const long = 'the same words again and '.repeat(40_000)
    const began = performance.now()
    await analyse(long, [long, long])
    const pieces = Array.from({ length: 5_000 }, (_, n) => `a${n} b${n} c${n} d${n}.`)
    const { drew_on } = await analyse(pieces.join(' '), [pieces.toReversed().join(' '), 'x'])
    expect(drew_on).toEqual([1, 0])
    expect(performance.now() - began).toBeLessThan(5_000)
  })

  it('yields to other work, however long the texts are', async () => {
    const words = (many: number, of: number) =>
      Array.from({ length: many }, (_, n) => `word${(n * n * 31 + n * many) % of}${n % 17 === 0 ? '.' : ''}`)
    const hostile = [
      words(30_000, 5_000).join(' '),
      words(30_000, 40).join(' ').replaceAll('.', ''),
      'a '.repeat(2_000_000),
      'a'.repeat(4_000_000),
      `${'no end '.repeat(100)}. `.repeat(2_000),
      '. '.repeat(1_000_000),
      Array.from({ length: 60 }, (_, n) => Array.from({ length: 60 }, (_, k) => `s${n}x${k}`).join(' ')).join(
        '. ',
      ),
    ]
    /**
     * The most processor time spent between two yields. Processor time ignores other load on the
     * machine.
     */
    const heldUpMs = async (text: string): Promise<number> => {
      let isOver = false
      const over = analyse(text, [text, ...Array.from({ length: 15 }, (_, n) => `${n} ${text}`)]).then(() => {
        isOver = true
      })
      let most = 0
      while (!isOver) {
        const before = process.threadCpuUsage()
        await setImmediate()
        const { user, system } = process.threadCpuUsage(before)
        most = Math.max(most, (user + system) / 1_000)
      }
      await over
      return most
    }
    for (const text of hostile) expect(await heldUpMs(text), text.slice(0, 40)).toBeLessThan(500)
  })
})
