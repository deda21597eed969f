import { setImmediate as turn } from 'node:timers/promises'
import { failure, type Result, success } from '@panoptes/schema'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AppendQueue, type Batch, type Written } from './append-queue.ts'

const batch = (lines: number, length = 1): Batch => ({ lines: Array(lines).fill('x'.repeat(length)) })
const written = (first: number): Written => ({ first, duplicates: [], last: first })

/** Creates a queue whose commits finish when the test says so. */
function setUp() {
  const commits: { readonly sizes: readonly number[]; readonly end: (ok?: boolean) => void }[] = []
  const queue = new AppendQueue(
    (batches) =>
      new Promise((resolve) => {
        const sizes = batches.map(({ lines }) => lines.length)
        const end = (ok = true) => resolve(ok ? success(sizes.map(written)) : failure('io', 'no disk'))
        commits.push({ sizes, end })
      }),
  )
  return { queue, commits }
}

/** A batch with this key cannot be stored. */
const POISON = 'poison'
const key = fc.constantFrom('a', 'b', 'c', 'd', 'e', POISON)

/**
 * Creates a queue over a log in memory that stores each key once, and fails a poisoned batch without the
 * others. Its commits end when the test says so, and events are in the log from then on.
 */
function modelStore() {
  const log: string[] = []
  let underWay: (() => void) | undefined
  const queue = new AppendQueue(
    (batches) =>
      new Promise((resolve) => {
        expect(underWay).toBeUndefined()
        underWay = () => resolve(success(batches.map(store)))
      }),
  )
  const store = ({ lines }: Batch) => {
    if (lines.includes(POISON)) return failure('invalid', 'It cannot be stored.')
    const first = log.length + 1
    const duplicates: number[] = []
    lines.forEach((line, n) => {
      if (log.includes(line)) duplicates.push(n)
      else log.push(line)
    })
    return { first, duplicates, last: log.length }
  }
  const commit = () => {
    const end = underWay
    underWay = undefined
    end?.()
  }
  return { queue, log, commit }
}

function value<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(result.message)
  return result.value
}

describe('AppendQueue', () => {
  it('commits a lone append at once, also right after another', async () => {
    const { queue, commits } = setUp()
    for (let n = 0; n < 3; n += 1) {
      const append = queue.append(batch(1))
      expect(commits.length).toBe(n + 1)
      commits[n]?.end()
      await append
    }
  })

  it('merges waiting appends into the next commit, each with its own result', async () => {
    const { queue, commits } = setUp()
    const appends = [1, 2, 3].map((lines) => queue.append(batch(lines)))
    expect(queue.waiting).toEqual({ events: 6, bytes: 6 })
    commits[0]?.end()
    expect(await appends[0]).toEqual(success(written(1)))
    await expect.poll(() => commits.length).toBe(2)
    commits[1]?.end()
    expect(await Promise.all(appends)).toEqual([1, 2, 3].map((first) => success(written(first))))
    expect(commits.map(({ sizes }) => sizes)).toEqual([[1], [2, 3]])
    expect(queue.waiting).toEqual({ events: 0, bytes: 0 })
  })

  it('shares one commit among callers that append again as soon as they are answered', async () => {
    const { queue, commits } = setUp()
    const callers = Array.from({ length: 10 }, async () => {
      for (let n = 0; n < 3; n += 1) await queue.append(batch(1))
    })
    for (let n = 0; n < 4; n += 1) {
      await expect.poll(() => commits.length).toBe(n + 1)
      commits[n]?.end()
    }
    await Promise.all(callers)
    expect(commits.map(({ sizes }) => sizes.length)).toEqual([1, 10, 10, 9])
  })

  it('merges at most five thousand events per commit, unless a single append is larger', async () => {
    const { queue, commits } = setUp()
    const appends = [1, 3_000, 2_000, 1, 6_000].map((lines) => queue.append(batch(lines)))
    for (let n = 0; n < 4; n += 1) {
      await expect.poll(() => commits.length).toBe(n + 1)
      commits[n]?.end()
    }
    await Promise.all(appends)
    expect(commits.map(({ sizes }) => sizes)).toEqual([[1], [3_000, 2_000], [1], [6_000]])
  })

  it('rejects appends while too much waits, and accepts them again afterwards', async () => {
    const { queue, commits } = setUp()
    const large = queue.append(batch(1, 67_108_865))
    expect(await queue.append(batch(1))).toMatchObject({ ok: false, code: 'busy' })
    commits[0]?.end()
    expect(await large).toMatchObject({ ok: true })
    const next = queue.append(batch(1))
    await expect.poll(() => commits.length).toBe(2)
    commits[1]?.end()
    expect(await next).toMatchObject({ ok: true })
  })

  it('fails all appends of a failed commit, but not later ones', async () => {
    const { queue, commits } = setUp()
    const [first, ...failing] = [1, 2, 3].map(() => queue.append(batch(1)))
    commits[0]?.end()
    expect(await first).toMatchObject({ ok: true })
    await expect.poll(() => commits.length).toBe(2)
    const last = queue.append(batch(1))
    commits[1]?.end(false)
    for (const result of await Promise.all(failing)) expect(result).toMatchObject({ ok: false, code: 'io' })
    await expect.poll(() => commits.length).toBe(3)
    commits[2]?.end()
    expect(await last).toMatchObject({ ok: true })
    await queue.drain()
  })

  it('answers each caller after its commit, with its own result, whatever shares the commit', async () => {
    const step = fc.oneof(
      { weight: 3, arbitrary: fc.array(key, { maxLength: 4 }) },
      { weight: 1, arbitrary: fc.constantFrom('turn' as const, 'commit' as const) },
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const { queue, log, commit } = modelStore()
        const expected: Promise<void>[] = []
        const calls: (readonly string[])[] = []
        for (const each of steps) {
          if (each === 'turn') await turn()
          else if (each === 'commit') commit()
          else {
            calls.push(each)
            const lines = each
            expected.push(
              queue.append({ lines }).then((result) => {
                if (lines.includes(POISON)) {
                  expect(result).toMatchObject({ ok: false, code: 'invalid' })
                  return
                }
                const { first, duplicates, last } = value(result)
                const fresh = lines.filter((_, n) => !duplicates.includes(n))
                // The log already contains the events when their caller is answered.
                expect(log.slice(first - 1, last)).toEqual(fresh)
              }),
            )
          }
        }
        let answered = false
        const all = Promise.all(expected).then(() => {
          answered = true
        })
        while (!answered) {
          await turn()
          commit()
        }
        await all
        // Every key is stored once, by the first good call that has it, in the order of the calls.
        const good = calls.flatMap((keys) => (keys.includes(POISON) ? [] : keys))
        expect(log).toEqual([...new Set(good)])
      }),
      { numRuns: 200 },
    )
  })
})
