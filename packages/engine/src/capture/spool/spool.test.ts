import { mkdir, readdir, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { failure, lastHeardKey } from '@panoptes/schema'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Bench, openBench } from '../capture.test-kit.ts'
import { createCapture } from '../capture.ts'
import type { Intake } from '../intake.ts'
import { readRecentEvents } from '../recent-events.ts'
import { createSpool, SPOOL_MARK, type Spool } from './spool.ts'

let bench: Bench
let folder = ''
const running: Spool[] = []
beforeEach(async () => {
  bench = await openBench()
  folder = join(bench.folder, 'spool')
  await mkdir(folder)
})
afterEach(async () => {
  await Promise.all(running.splice(0).map((spool) => spool.stop()))
  await bench.end()
})

function start(intake: Intake = bench.intake()): Spool {
  const spool = createSpool({
    folder,
    intake,
    marks: () => bench.store.marks([SPOOL_MARK]),
  })
  running.push(spool)
  return spool
}

const payload = (prompt: string) =>
  JSON.stringify({ session_id: 's1', hook_event_name: 'UserPromptSubmit', prompt })
const START = 1_790_000_000

async function leave(name: string, text: string, second = 0): Promise<void> {
  // The partial file lies outside the spool, which would treat it as the leftover of a killed hook.
  const part = join(bench.folder, `${name}.part`)
  await writeFile(part, text)
  await utimes(part, START + second, START + second)
  await rename(part, join(folder, `${name}.json`))
}

const storedTexts = async () => (await bench.events()).map((event) => event.prompt_preview ?? event.problem)
const isEmpty = () => expect.poll(() => readdir(folder)).toEqual([])

describe('the spool', () => {
  it('reads waiting payloads in order with the time they were left, and empties itself', async () => {
    await leave('claude-code.9.0', payload('third'), 2)
    await leave('claude-code.12.0', payload('second'), 1)
    await leave('claude-code.7.0', payload('first'), 1)
    start()
    await isEmpty()
    expect(await storedTexts()).toEqual(['first', 'second', 'third'])
    expect((await bench.events()).map((event) => event.ts - START * 1_000)).toEqual([1_000, 1_000, 2_000])
  })

  it('stores the last activity of each agent with the events', async () => {
    await leave('claude-code.9.0', payload('first'), 1)
    await leave('claude-code.9.1', payload('second'), 2)
    start()
    await isEmpty()
    const [mark, other] = ['claude-code', 'hermes'].map((agent) => lastHeardKey(agent, 'spool'))
    const marks = await bench.store.marks([`${mark}`, `${other}`])
    expect(marks.ok && marks.value).toEqual({ [`${mark}`]: `${(START + 2) * 1_000}` })
  })

  it('applies the bypass encoded in a file name', async () => {
    const stop = (text: string) =>
      JSON.stringify({ session_id: 's1', hook_event_name: 'Stop', last_assistant_message: text })
    await leave('claude-code.9.0.from-hook.no-claims.no-skills', payload('first'), 0)
    await leave('claude-code.9.1', stop('took 3 s [REAL: x]'), 1)
    start()
    await isEmpty()
    expect((await bench.events()).map(({ event }) => event)).toEqual([
      'prompt',
      'bypass',
      'bypass',
      'agent_done',
    ])
  })

  it('reads from the file name that a hook started the session', async () => {
    await leave('claude-code.9.0.from-hook', payload('within'), 0)
    await leave('claude-code.9.1', payload('on its own'), 1)
    await writeFile(join(folder, '.claude-code.10.0.from-hook.part'), payload('killed'))
    await utimes(join(folder, '.claude-code.10.0.from-hook.part'), START + 2, START + 2)
    start()
    await isEmpty()
    const marks = (await bench.events()).map((event) => [event.prompt_preview, event.source, event.from_hook])
    expect(marks).toEqual([
      ['within', 'claude-code', true],
      ['on its own', 'claude-code', undefined],
      ['killed', 'claude-code', true],
    ])
  })

  it('notices a new file at once', async () => {
    const spool = start()
    await leave('claude-code.1.0', payload('now'))
    await isEmpty()
    expect(await storedTexts()).toEqual(['now'])
    expect(spool.health()).toMatchObject({ backlog: 0, problem: null })
    expect(spool.health().lagMs).toBeGreaterThan(0)
  })

  it('stores payloads from any source that cannot be parsed', async () => {
    await leave('claude-code.1.0', '{"half": ', 0)
    await leave('claude-code.2.0', `${'['.repeat(5_000)}${']'.repeat(5_000)}`, 1)
    await leave('other-agent.3.0', '{"x":1}', 2)
    start()
    await isEmpty()
    expect((await bench.events()).map(({ event, source }) => [event, source])).toEqual([
      ['hook', 'claude-code'],
      ['hook', 'claude-code'],
      ['hook', 'other-agent'],
    ])
    expect((await storedTexts())[0]).toBe('is not JSON')
  })

  it('reads the leftover of a killed hook and skips a file being written', async () => {
    await writeFile(join(folder, '.claude-code.1.0.part'), payload('killed'))
    await utimes(join(folder, '.claude-code.1.0.part'), START, START)
    await writeFile(join(folder, '.claude-code.2.0.part'), payload('being written'))
    await symlink('/etc/passwd', join(folder, 'claude-code.3.0.json'))
    start()
    await expect.poll(storedTexts).toEqual(['killed'])
    await expect.poll(() => readdir(folder)).toHaveLength(2)
  })

  it('creates its folder, also when it is deleted while running', async () => {
    await rm(folder, { recursive: true })
    start()
    await isEmpty()
    await rm(folder, { recursive: true })
    await isEmpty()
    await leave('claude-code.1.0', payload('after'))
    await expect.poll(storedTexts).toEqual(['after'])
  })

  it('keeps each file until it is stored and reports why it is not', async () => {
    let full = true
    const intake = bench.intake({
      append: async (events, marks) =>
        full ? failure('disk_full', 'The disk is full.') : bench.store.append(events, marks),
    })
    await leave('claude-code.1.0', payload('kept'))
    const spool = start(intake)
    await expect.poll(() => spool.health().problem).toBe('The disk is full.')
    expect(await readdir(folder)).toHaveLength(1)
    full = false
    await isEmpty()
    expect(await storedTexts()).toEqual(['kept'])
  })

  it('stores nothing twice after a crash between storing and removing', async () => {
    await leave('claude-code.1.0', payload('same'), 0)
    await leave('claude-code.2.0', payload('same'), 3)
    await leave('claude-code.3.0', payload('same'), 60)
    const first = start()
    await isEmpty()
    await first.stop()
    expect(await storedTexts()).toEqual(['same', 'same'])
    for (const [name, second] of [
      ['claude-code.2.0', 3],
      ['claude-code.3.0', 60],
    ] as const) {
      await leave(name, payload('same'), second)
    }
    start()
    await isEmpty()
    expect(await storedTexts()).toEqual(['same', 'same'])
  })

  it('gives a file the same key even when no record of storing it is left', async () => {
    await leave('claude-code.1.0', payload('once'))
    const first = start()
    await isEmpty()
    await first.stop()
    await bench.store.append([], { [SPOOL_MARK]: '[]' })
    await leave('claude-code.1.0', payload('once'))
    start()
    await isEmpty()
    expect(await storedTexts()).toEqual(['once'])
  })

  it('recognises a repeated payload after a restart in between', async () => {
    await leave('claude-code.1.0', payload('once'), 0)
    const killed = start()
    await isEmpty()
    await killed.stop()
    await leave('claude-code.2.0', payload('once'), 2)
    const capture = createCapture({
      host: 'here',
      findAgents: (ids) => bench.store.findAgents(ids),
      known: await readRecentEvents(bench.store),
    })
    start(bench.intake({ capture }))
    await isEmpty()
    expect(await storedTexts()).toEqual(['once'])
  })

  it('processes thousands of files in batches', async () => {
    for (let index = 0; index < 1_200; index += 1) {
      await writeFile(join(folder, `claude-code.${index}.0.json`), payload(`prompt ${index}`))
    }
    const sizes: number[] = []
    start(
      bench.intake({
        append: (events, marks) => {
          sizes.push(events.length)
          return bench.store.append(events, marks)
        },
      }),
    )
    await isEmpty()
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(1_200)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(256)
  })
})
