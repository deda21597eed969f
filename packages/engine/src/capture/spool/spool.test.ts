import { mkdir, readdir, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { failure } from '@panoptes/schema'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Bench, openBench } from '../capture.test-kit.ts'
import { createCapture } from '../capture.ts'
import type { Intake } from '../intake.ts'
import { knownEvents } from '../known-events.ts'
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

function start(intake: Intake = bench.intake(), pollMs = 20): Spool {
  const spool = createSpool({
    folder,
    intake,
    marks: () => bench.ledger.marks([SPOOL_MARK]),
    pollMs,
  })
  running.push(spool)
  return spool
}

const payload = (prompt: string) =>
  JSON.stringify({ session_id: 's1', hook_event_name: 'UserPromptSubmit', prompt })
const START = 1_790_000_000

async function leave(name: string, text: string, second = 0): Promise<void> {
  // Not in the spool itself, which would take it for the part of a hook that was killed long ago.
  const part = join(bench.folder, `${name}.part`)
  await writeFile(part, text)
  await utimes(part, START + second, START + second)
  await rename(part, join(folder, `${name}.json`))
}

const said = async () => (await bench.events()).map((event) => event.prompt_preview ?? event.problem)
const isEmpty = () => expect.poll(() => readdir(folder)).toEqual([])

describe('the spool', () => {
  it('takes what waits in the order it was left, with the time it was left, and empties itself', async () => {
    await leave('claude-code.9.0', payload('third'), 2)
    await leave('claude-code.12.0', payload('second'), 1)
    await leave('claude-code.7.0', payload('first'), 1)
    start()
    await isEmpty()
    expect(await said()).toEqual(['first', 'second', 'third'])
    expect((await bench.events()).map((event) => event.ts - START * 1_000)).toEqual([1_000, 1_000, 2_000])
  })

  it('records of a session what the name of a file does not forbid', async () => {
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

  it('tells of a session that a hook started, by the name of the file', async () => {
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

  it('hears of a new file by itself, long before the slow look', async () => {
    const spool = start(bench.intake(), 600_000)
    await leave('claude-code.1.0', payload('now'))
    await isEmpty()
    expect(await said()).toEqual(['now'])
    expect(spool.health()).toMatchObject({ backlog: 0, problem: null })
    expect(spool.health().lagMs).toBeGreaterThan(0)
  })

  it('keeps what it cannot understand, whoever it is from', async () => {
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
    expect((await said())[0]).toBe('is not JSON')
  })

  it('takes the part of a hook that was killed, and leaves one that is being written', async () => {
    await writeFile(join(folder, '.claude-code.1.0.part'), payload('killed'))
    await utimes(join(folder, '.claude-code.1.0.part'), START, START)
    await writeFile(join(folder, '.claude-code.2.0.part'), payload('being written'))
    await symlink('/etc/passwd', join(folder, 'claude-code.3.0.json'))
    start()
    await expect.poll(said).toEqual(['killed'])
    await expect.poll(() => readdir(folder)).toHaveLength(2)
  })

  it('makes its folder, also when it is taken away meanwhile', async () => {
    await rm(folder, { recursive: true })
    start()
    await isEmpty()
    await rm(folder, { recursive: true })
    await isEmpty()
    await leave('claude-code.1.0', payload('after'))
    await expect.poll(said).toEqual(['after'])
  })

  it('keeps every file until it is stored, and says why it is not', async () => {
    let full = true
    const intake = bench.intake({
      append: async (events, marks) =>
        full ? failure('disk_full', 'The disk is full.') : bench.ledger.append(events, marks),
    })
    await leave('claude-code.1.0', payload('kept'))
    const spool = start(intake)
    await expect.poll(() => spool.health().problem).toBe('The disk is full.')
    expect(await readdir(folder)).toHaveLength(1)
    full = false
    await isEmpty()
    expect(await said()).toEqual(['kept'])
  })

  it('stores nothing twice after a crash between storing and removing', async () => {
    await leave('claude-code.1.0', payload('same'), 0)
    await leave('claude-code.2.0', payload('same'), 3)
    await leave('claude-code.3.0', payload('same'), 60)
    const first = start()
    await isEmpty()
    await first.stop()
    expect(await said()).toEqual(['same', 'same'])
    for (const [name, second] of [
      ['claude-code.2.0', 3],
      ['claude-code.3.0', 60],
    ] as const) {
      await leave(name, payload('same'), second)
    }
    start()
    await isEmpty()
    expect(await said()).toEqual(['same', 'same'])
  })

  it('gives the same file the same key, even where nothing remembers that it was stored', async () => {
    await leave('claude-code.1.0', payload('once'))
    const first = start()
    await isEmpty()
    await first.stop()
    await bench.ledger.append([], { [SPOOL_MARK]: '[]' })
    await leave('claude-code.1.0', payload('once'))
    start()
    await isEmpty()
    expect(await said()).toEqual(['once'])
  })

  it('knows a payload that was told twice after a restart between the two', async () => {
    await leave('claude-code.1.0', payload('once'), 0)
    const killed = start()
    await isEmpty()
    await killed.stop()
    await leave('claude-code.2.0', payload('once'), 2)
    const capture = createCapture({
      host: 'here',
      findAgents: (ids) => bench.ledger.findAgents(ids),
      known: await knownEvents(bench.ledger),
    })
    start(bench.intake({ capture }))
    await isEmpty()
    expect(await said()).toEqual(['once'])
  })

  it('works off thousands of files in batches', async () => {
    for (let index = 0; index < 1_200; index += 1) {
      await writeFile(join(folder, `claude-code.${index}.0.json`), payload(`prompt ${index}`))
    }
    const sizes: number[] = []
    start(
      bench.intake({
        append: (events, marks) => {
          sizes.push(events.length)
          return bench.ledger.append(events, marks)
        },
      }),
    )
    await isEmpty()
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(1_200)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(256)
  })
})
