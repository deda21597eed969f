import { appendFile, copyFile, open, rename, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { failure } from '@panoptes/schema'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Bench, openBench } from '../capture.test-kit.ts'
import { createTail, type Tail, type TailOptions } from './tail.ts'

let bench: Bench
let path = ''
const running: Tail[] = []
beforeEach(async () => {
  bench = await openBench()
  path = join(bench.folder, 'events.jsonl')
})
afterEach(async () => {
  await Promise.all(running.splice(0).map((tail) => tail.stop()))
  await bench.end()
})

function start(options: Partial<TailOptions> = {}): Tail {
  const tail = createTail({
    path,
    intake: bench.intake(),
    marks: (names) => bench.ledger.marks(names),
    pollMs: 20,
    graceMs: 0,
    ...options,
  })
  running.push(tail)
  return tail
}

const line = (title: string) =>
  `${JSON.stringify({ event: 'session_start', session_id: title, title, id: title })}\n`
/** Until a file written now is newer than that one; a file's time is not exact. */
const later = async (file: string) => {
  const { mtimeMs } = await stat(file)
  await expect.poll(() => Date.now()).toBeGreaterThan(mtimeMs + 20)
}
const titles = async () => (await bench.events()).map((event) => event.title)

describe('the tail of a file', () => {
  it('reads a file from its start, then what is appended, long before the slow look', async () => {
    await writeFile(path, line('one') + line('two'))
    start({ pollMs: 600_000 })
    await expect.poll(titles).toEqual(['one', 'two'])
    await appendFile(path, line('three'))
    await expect.poll(titles).toEqual(['one', 'two', 'three'])
  })

  it('makes the file for others to write to, for this user alone', async () => {
    start({ create: true })
    await expect.poll(async () => (await stat(path).catch(() => undefined))?.mode ?? 0).toBe(0o100600)
    await appendFile(path, line('one'))
    await expect.poll(titles).toEqual(['one'])
  })

  it('waits for a file that does not exist yet', async () => {
    const tail = start()
    await writeFile(path, line('late'))
    await expect.poll(titles).toEqual(['late'])
    expect(tail.health()).toMatchObject({ behind: 0, problem: null })
  })

  it('carries half a line over, and a restart too', async () => {
    const text = line('ä whole')
    const bytes = Buffer.from(line('first') + text)
    const cut = bytes.indexOf(0xc3) + 1
    await writeFile(path, bytes.subarray(0, cut))
    const first = start()
    await expect.poll(titles).toEqual(['first'])
    await first.stop()
    await appendFile(path, bytes.subarray(cut))
    start()
    await expect.poll(titles).toEqual(['first', 'ä whole'])
  })

  it('takes lines one by one: a document over several lines is none', async () => {
    await writeFile(path, `[\n${line('inside').trim()}\n]\n{\n"event":"x"}\n${line('good')}`)
    start({ source: 'claude-code' })
    await expect.poll(titles).toEqual(['inside', 'good'])
    expect((await bench.events()).map(({ source }) => source)).toEqual(['claude-code', 'claude-code'])
    expect(bench.rejected).toMatchObject([{ line: 5, reason: 'is not JSON' }])
  })

  it('passes over a line that is too long and says so', async () => {
    await writeFile(path, line('before'))
    const file = await open(path, 'a')
    for (let part = 0; part < 3; part += 1) await file.write('x'.repeat(1_000_000))
    await file.write(`\n${line('after')}`)
    await file.close()
    start()
    await expect.poll(titles).toEqual(['before', 'after'])
    expect(bench.rejected).toMatchObject([{ line: 2, reason: 'is longer than 1024 KB' }])
  })

  it('finishes a file that was moved aside, its last half line included, and goes on with the new one', async () => {
    await writeFile(path, line('one'))
    start({ graceMs: 2_000 })
    await expect.poll(titles).toEqual(['one'])
    await rename(path, `${path}.1`)
    await appendFile(`${path}.1`, line('two'))
    await writeFile(path, line('four') + 'x'.repeat(5_000))
    await appendFile(`${path}.1`, line('three').trimEnd())
    await expect.poll(titles).toEqual(['one', 'two', 'three', 'four'])
  })

  it('finishes a file that was moved aside while nobody read it', async () => {
    await writeFile(path, line('one'))
    const first = start()
    await expect.poll(titles).toEqual(['one'])
    await first.stop()
    await appendFile(path, line('two'))
    await rename(path, `${path}.1`)
    await writeFile(path, line('three'))
    start()
    await expect.poll(titles).toEqual(['one', 'two', 'three'])
  })

  it('reads every file that was moved aside while nobody read, in their order, and none that is a copy', async () => {
    await writeFile(path, line('one'))
    const first = start()
    await expect.poll(titles).toEqual(['one'])
    await first.stop()
    await writeFile(`${path}.3`, line('long ago'))
    await utimes(`${path}.3`, 1, 1)
    await appendFile(path, line('two'))
    await rename(path, `${path}.2`)
    await later(`${path}.2`)
    await writeFile(path, line('three'))
    await rename(path, `${path}-20260915`)
    await later(`${path}-20260915`)
    await writeFile(path, line('four'))
    await rename(path, `${path}.1`)
    await copyFile(`${path}.1`, `${path}.bak`)
    await writeFile(path, line('five'))
    start()
    await expect.poll(titles).toEqual(['one', 'two', 'three', 'four', 'five'])
  })

  it('starts again in a file that was cut, also where it has grown beyond the old place', async () => {
    await writeFile(path, line('one'))
    start()
    await expect.poll(titles).toEqual(['one'])
    await truncate(path, 0)
    await appendFile(path, line('two') + line('three'))
    await expect.poll(titles).toEqual(['one', 'two', 'three'])
  })

  it('starts again in a new file that happens to have the number of the old one', async () => {
    await writeFile(path, line('old one'))
    const first = start()
    await expect.poll(titles).toEqual(['old one'])
    await first.stop()
    await rm(path)
    await writeFile(path, line('new one') + line('new two'))
    start()
    await expect.poll(titles).toEqual(['old one', 'new one', 'new two'])
  })

  it('goes on at its place in a file of several gigabytes at once', async () => {
    const file = await open(path, 'w')
    await file.write(line('first'))
    await file.close()
    const first = start()
    await expect.poll(titles).toEqual(['first'])
    await first.stop()
    const { size, dev, ino } = await stat(path)
    // A file with a hole: as large as it says, but for the disk.
    const far = 64 * 1024 ** 3
    await truncate(path, far)
    await appendFile(path, `\n${line('last')}`)
    const place = {
      file: `${dev}:${ino}`,
      offset: far,
      before: Buffer.alloc(32).toString('base64'),
      lines: 1,
    }
    expect(size).toBeLessThan(200)
    await bench.ledger.append([], { [`tail:${path}`]: JSON.stringify(place) })
    const started = performance.now()
    start()
    await expect.poll(titles).toEqual(['first', 'last'])
    expect(performance.now() - started).toBeLessThan(10_000)
  })

  it('loses nothing and doubles nothing when storing fails for a while', async () => {
    const lines = Array.from({ length: 3_000 }, (_, index) => line(`t${index}`)).join('')
    await writeFile(path, lines)
    let calls = 0
    start({
      limits: { chunk: 20_000, line: 100_000 },
      intake: bench.intake({
        append: async (events, marks) => {
          calls += 1
          return calls % 3 === 0 ? failure('busy', 'Too much.') : bench.ledger.append(events, marks)
        },
      }),
    })
    await expect.poll(() => bench.ledger.head()).toMatchObject({ value: { last: 3_000 } })
  })
})
