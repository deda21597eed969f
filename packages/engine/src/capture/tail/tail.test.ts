import { spawnSync } from 'node:child_process'
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
    marks: (names) => bench.store.marks(names),
    graceMs: 0,
    ...options,
  })
  running.push(tail)
  return tail
}

const line = (title: string) =>
  `${JSON.stringify({ event: 'session_start', session_id: title, title, id: title })}\n`
/** Waits until a newly written file is newer than that one, because file times are coarse. */
const later = async (file: string) => {
  const { mtimeMs } = await stat(file)
  await expect.poll(() => Date.now()).toBeGreaterThan(mtimeMs + 20)
}
const titles = async () => (await bench.events()).map((event) => event.title)

describe('following a file', () => {
  it('reads a file from its start and appended lines at once', async () => {
    await writeFile(path, line('one') + line('two'))
    start()
    await expect.poll(titles).toEqual(['one', 'two'])
    await appendFile(path, line('three'))
    await expect.poll(titles).toEqual(['one', 'two', 'three'])
  })

  it('creates the file for other writers, readable by this user only', async () => {
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

  it('carries a partial line over further reads and a restart', async () => {
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

  it('reads line by line and rejects a multi-line document', async () => {
    await writeFile(path, `[\n${line('inside').trim()}\n]\n{\n"event":"x"}\n${line('good')}`)
    start({ source: 'claude-code' })
    await expect.poll(titles).toEqual(['inside', 'good'])
    expect((await bench.events()).map(({ source }) => source)).toEqual(['claude-code', 'claude-code'])
    expect(bench.rejected).toMatchObject([{ line: 5, reason: 'is not JSON' }])
  })

  it('skips and reports a line that is too long', async () => {
    await writeFile(path, line('before'))
    const file = await open(path, 'a')
    for (let part = 0; part < 3; part += 1) await file.write('x'.repeat(1_000_000))
    await file.write(`\n${line('after')}`)
    await file.close()
    start()
    await expect.poll(titles).toEqual(['before', 'after'])
    expect(bench.rejected).toMatchObject([{ line: 2, reason: 'is longer than 1024 KB' }])
  })

  it('finishes a rotated file with its last partial line and continues with the new one', async () => {
    await writeFile(path, line('one'))
    start({ graceMs: 2_000 })
    await expect.poll(titles).toEqual(['one'])
    await rename(path, `${path}.1`)
    await appendFile(`${path}.1`, line('two'))
    await writeFile(path, line('four') + 'x'.repeat(5_000))
    await appendFile(`${path}.1`, line('three').trimEnd())
    await expect.poll(titles).toEqual(['one', 'two', 'three', 'four'])
  })

  it('finishes a file that was rotated while no process read it', async () => {
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

  it('reads all files rotated meanwhile, in order, and ignores copies', async () => {
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

  it('starts over in a truncated file, even if it grew beyond the old position', async () => {
    await writeFile(path, line('one'))
    start()
    await expect.poll(titles).toEqual(['one'])
    await truncate(path, 0)
    await appendFile(path, line('two') + line('three'))
    await expect.poll(titles).toEqual(['one', 'two', 'three'])
  })

  it('starts over in a new file with the inode of the old one', async () => {
    await writeFile(path, line('old one'))
    const first = start()
    await expect.poll(titles).toEqual(['old one'])
    await first.stop()
    await rm(path)
    await writeFile(path, line('new one') + line('new two'))
    start()
    await expect.poll(titles).toEqual(['old one', 'new one', 'new two'])
  })

  it('continues at its position in a file of several gigabytes at once', async () => {
    const file = await open(path, 'w')
    await file.write(line('first'))
    await file.close()
    const first = start()
    await expect.poll(titles).toEqual(['first'])
    await first.stop()
    const { size, dev, ino } = await stat(path)
    // A sparse file: it reports this size without using the disk space.
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
    await bench.store.append([], { [`tail:${path}`]: JSON.stringify(place) })
    const started = performance.now()
    start()
    await expect.poll(titles).toEqual(['first', 'last'])
    expect(performance.now() - started).toBeLessThan(10_000)
  })

  it('reports a foreign object in place of the file and does not block on a pipe', async () => {
    spawnSync('mkfifo', [path])
    const tail = start({ create: true })
    await expect.poll(() => tail.health().problem).toContain('is not a file')
  })

  it('loses and duplicates nothing when storing fails temporarily', async () => {
    const lines = Array.from({ length: 3_000 }, (_, index) => line(`t${index}`)).join('')
    await writeFile(path, lines)
    let calls = 0
    start({
      limits: { chunk: 20_000, line: 100_000 },
      intake: bench.intake({
        append: async (events, marks) => {
          calls += 1
          return calls % 3 === 0 ? failure('busy', 'Too much.') : bench.store.append(events, marks)
        },
      }),
    })
    await expect.poll(() => bench.store.head()).toMatchObject({ value: { last: 3_000 } })
  })
})
