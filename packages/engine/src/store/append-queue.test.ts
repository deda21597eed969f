import { failure, success } from '@panoptes/schema'
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

describe('AppendQueue', () => {
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
    const [first, second] = [queue.append(batch(1)), queue.append(batch(1))]
    commits[0]?.end(false)
    expect(await first).toMatchObject({ ok: false, code: 'io' })
    await expect.poll(() => commits.length).toBe(2)
    commits[1]?.end()
    expect(await second).toMatchObject({ ok: true })
    await queue.drain()
  })
})
