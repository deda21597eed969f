import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHome } from '@panoptes/engine/home'
import type { NewEvent } from '@panoptes/schema'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { openStore } from '../daemon/access.ts'
import { placeOfHome } from '../daemon/place.ts'
import { orFail } from '../failure.ts'
import { exportEvents } from './export.ts'
import { formatRanges, rescue } from './rescue.ts'
import { saidIn } from './sessions/sessions.test-kit.ts'

const PAGE = 4_096
const COUNT = 800

const event = (n: number): NewEvent => ({
  v: 1,
  key: `k${n}`,
  ts: n * 1_000,
  event: 'prompt',
  source: 'custom',
  host: 'studio',
  session_id: `s${n % 3}`,
  prompt_preview: `${n} `.padEnd(300, 'words '),
})

async function home() {
  const folder = mkdtempSync(join(tmpdir(), 'panoptes-commands-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const said = saidIn(folder)
  orFail(await createHome(said.context.paths))
  const store = await openStore(said.context, await placeOfHome(said.context))
  orFail(await store.append(Array.from({ length: COUNT }, (_, at) => event(at + 1))))
  await store.close()
  return { ...said, store: said.context.paths.store, file: (name: string) => join(folder, name) }
}

const damage = (file: string, from: number, pages: number) => {
  const bytes = readFileSync(file)
  writeFileSync(file, bytes.fill(0, from * PAGE, (from + pages) * PAGE))
}
const keysIn = (file: string) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => (JSON.parse(line) as { key: string }).key)

afterEach(() => {
  process.exitCode = 0
})

describe('panoptes export of a damaged store', () => {
  it.each([
    ['in the middle', 120, 20],
    ['in its first page', 0, 1],
  ])('writes every readable event if the store is damaged %s', async (_, from, pages) => {
    const { context, store, file, document } = await home()
    damage(store, from, pages)
    await exportEvents(context, file('out.ndjson'), {})
    const keys = keysIn(file('out.ndjson'))
    const { lost_events, events } = document() as { lost_events: number; events: number }
    expect(keys).toHaveLength(events)
    expect(new Set(keys).size + lost_events).toBe(COUNT)
    expect(process.exitCode).toBe(1)
    await exportEvents(context, file('some.ndjson'), { session: 's1' })
    expect(keysIn(file('some.ndjson'))).toEqual(keys.filter((key) => Number(key.slice(1)) % 3 === 1))
  })
})

describe('panoptes rescue', () => {
  it('saves a damaged store and creates a home from the saved file', async () => {
    const { context, store, file, text, document } = await home()
    damage(store, 120, 20)
    await rescue(context, file('saved.db'), {})
    const saved = document() as { events: number; lost_events: number; lost: [number, number][] }
    expect(saved.events + saved.lost_events).toBe(COUNT)
    expect(saved.lost_events).toBeGreaterThan(0)
    await expect(rescue(context, file('saved.db'), { into: context.paths.home })).rejects.toThrow(
      /already exists?/,
    )
    for (const ending of ['', '-wal', '-shm'])
      if (existsSync(`${store}${ending}`)) renameSync(`${store}${ending}`, `${file('old.db')}${ending}`)
    await rescue(context, file('saved.db'), { into: context.paths.home })
    // The saved file lacks the lost events too, so the command must not claim that every event was read.
    expect(text()).not.toContain(`Every event in ${store} was read`)
    expect(text()).toContain(
      `Every event in ${file('saved.db')} was read. Events lost before they were written are not counted.`,
    )
    const again = await openStore(context, await placeOfHome(context))
    onTestFinished(() => again.close())
    expect(orFail(await again.verify())).toEqual([])
    expect(orFail(await again.info())).toMatchObject({
      head: { first: 1, last: COUNT },
      forgotten: saved.lost_events,
    })
    expect(orFail(await again.counters()).value.events).toBe(saved.events)
    const [first] = orFail(await again.read({ after: 0, limit: 1 })).rows
    expect(JSON.parse(first?.json ?? '')).toEqual({ ...event(1), seq: 1 })
  })

  it('overwrites no file, and fails while another process holds the store', async () => {
    const { context, file } = await home()
    writeFileSync(file('mine'), 'mine')
    await expect(rescue(context, file('mine'), {})).rejects.toThrow('already exists')
    await expect(rescue(context, context.paths.store, {})).rejects.toThrow(
      'belongs to Panoptes and is not overwritten',
    )
    const store = await openStore(context, await placeOfHome(context))
    onTestFinished(() => store.close())
    await expect(rescue(context, file('saved.db'), {})).rejects.toThrow('has')
    expect(existsSync(file('saved.db'))).toBe(false)
  })

  it('formats the numbers of lost events', () => {
    const many = Array.from({ length: 10 }, (_, at) => [at * 10, at * 10] as const)
    expect(
      formatRanges([
        [1, 1_500],
        [2_000, 2_000],
      ]),
    ).toBe('numbers 1 to 1,500, number 2,000')
    expect(formatRanges(many)).toMatch(/number 70 and 2 more ranges$/)
  })
})
